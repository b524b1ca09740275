/** Resize on the GPU against float64: nearest bit for bit, linear and cubic within the derived tolerance. */
import { type DispatchPlan, defaultCapabilities, GpuKernelShapeError } from '@onegpu/core';
import {
  expectEqual,
  expectExact,
  expectWithin,
  integerFill,
  randomFill,
  runPlan,
  testDevice,
  UNIT_ROUNDOFF,
} from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { runInLayout } from '../../test/run-in-layout.ts';
import { referenceResize } from '../reference/resize.ts';
import { layoutElements } from '../shared/layout.ts';
import { RESIZE_CASES } from './cases.ts';
import { axisTaps } from './plan.ts';
import { DEFAULT_SAMPLING, makeResizeProblem, type ResizeProblem } from './problem.ts';
import { planResize, RESIZE_ALGORITHMS } from './select.ts';

interface Feed {
  readonly src: Float32Array;
  readonly residual: Float32Array;
}

function feed(problem: ResizeProblem, fill: (length: number, seed: number) => Float32Array): Feed {
  const length = layoutElements(problem.srcDims, 'nchw');
  return { src: fill(length, 31), residual: fill(layoutElements(problem.dstDims, 'nchw'), 32) };
}

function run(problem: ResizeProblem, plan: DispatchPlan, { src, residual }: Feed): Promise<Float32Array> {
  const { layout, srcDims, dstDims } = problem;
  const inputs = {
    src: { data: src, dims: srcDims },
    ...(problem.epilogue.residual ? { residual: { data: residual, dims: dstDims } } : {}),
  };
  return runInLayout(plan, { layout, inputs, dstDims });
}

/** Reference with the two epilogues of the cases. */
function expectation(problem: ResizeProblem, { src, residual }: Feed): Float64Array {
  const sampled = referenceResize(problem, src);
  const { activation } = problem.epilogue;
  const added = problem.epilogue.residual
    ? sampled.map((value, index) => value + (residual[index] ?? 0))
    : sampled;
  switch (activation[0]?.kind) {
    case 'relu':
      return added.map((value) => Math.max(value, 0));
    case 'hard-swish':
      return added.map((value) => value * Math.min(Math.max(value / 6 + 0.5, 0), 1));
    default:
      return added;
  }
}

/**
 * Each level (resized axis) rounds its weights, the products and the sums: at most half an ulp each of a value below
 * one, and the three are never all at their worst. 1.35 u a level for two taps (a single level may come nearer to its
 * worst: it gets two), and for the wider filters more in proportion to the root of their taps and to the sum of the
 * absolute weights.
 */
function tolerance(problem: ResizeProblem): number {
  const gain = problem.touched.map((at) => {
    const axis = problem.axes[at] ?? { input: 1, output: 1, scaleNumerator: 1, scaleDenominator: 1 };
    const { taps, weight } = axisTaps(axis, problem.sampling);
    let largest = 1;
    for (let x = 0; x < axis.output; x++) {
      const row = weight.subarray(x * taps, (x + 1) * taps);
      largest = Math.max(
        largest,
        row.reduce((sum, value) => sum + Math.abs(value), 0),
      );
    }
    return 1.35 * largest * Math.sqrt(Math.max(taps, 2) / 2);
  });
  const epilogue = problem.epilogue.activation.length > 0 ? 4 : 0;
  const levels = gain.reduce((sum, value) => sum + value, 0);
  return UNIT_ROUNDOFF * (Math.max(levels, 2 * 1.35) + epilogue);
}

// Integers are in `integers.test.ts`.
for (const algorithm of RESIZE_ALGORITHMS.filter(({ name }) => name !== 'gather-integers')) {
  describe(`resize/${algorithm.name}`, () => {
    for (const { name, problem, exact } of RESIZE_CASES) {
      if (algorithm.impossible(problem, defaultCapabilities()) !== undefined) continue;
      it(name, async () => {
        const target = (await testDevice()).capabilities;
        const { plan } = planResize(problem, target, { mode: 'deterministic', algorithm: algorithm.name });
        for (const fill of [integerFill, randomFill] as const) {
          const data = feed(problem, fill);
          const actual = await run(problem, plan, data);
          const expected = expectation(problem, data);
          const plain = problem.epilogue.activation[0]?.kind !== 'hard-swish';
          const sharp = plain && (problem.sampling.mode === 'nearest' || (exact && fill === integerFill));
          if (sharp) expectEqual(actual, Float32Array.from(expected), problem.dstDims);
          else expectWithin(actual, expected, tolerance(problem), problem.dstDims);
        }
      });
    }
  });
}

describe('resize/nearest moves bits', () => {
  for (const layout of ['nchw', 'nhwc4'] as const) {
    it(`NaN, -0, infinities and denormals, ${layout}`, async () => {
      const problem = makeResizeProblem({ dims: [1, 1, 1, 5], scales: [1, 1, 1, 2], layout });
      const { plan } = planResize(problem, (await testDevice()).capabilities, { mode: 'deterministic' });
      const src = Float32Array.of(Number.NaN, -0, Number.NEGATIVE_INFINITY, 1e-45, 3);
      const expected = [...src].flatMap((value) => [value, value]);
      expectExact(await run(problem, plan, { src, residual: src }), expected, [10]);
    });
  }
});

describe('resize beyond the source', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, -0])(
    'gives the extrapolation value %s',
    async (extrapolation) => {
      for (const [mode, layout] of [
        ['nearest', 'nchw'],
        ['linear', 'nhwc4'],
        ['cubic', 'nchw'],
      ] as const) {
        const problem = makeResizeProblem({
          dims: [1, 1, 2, 2],
          axes: [2, 3],
          sizes: [2, 2],
          roi: [0, -1, 0, 1],
          layout,
          sampling: { mode, coordinates: 'tf_crop_and_resize', extrapolation },
        });
        const { plan } = planResize(problem, (await testDevice()).capabilities, { mode: 'deterministic' });
        const src = Float32Array.of(1, 2, 3, 4);
        expectEqual(
          await run(problem, plan, { src, residual: src }),
          [extrapolation, 2, extrapolation, 2],
          [4],
        );
      }
    },
  );
});

describe('resize is deterministic', () => {
  for (const { name, problem } of RESIZE_CASES.filter((_, index) => index % 7 === 0)) {
    it(`${name}: two runs, two arena offsets`, async () => {
      const device = await testDevice();
      const { plan } = planResize(problem, device.capabilities, { mode: 'deterministic' });
      const length = layoutElements(problem.srcDims, problem.layout);
      const outputs = { dst: layoutElements(problem.dstDims, problem.layout) };
      const inputs = {
        src: randomFill(length, 5),
        ...(problem.epilogue.residual ? { residual: randomFill(outputs.dst, 6) } : {}),
      };
      const first = await runPlan(device, plan, { inputs, outputs });
      const second = await runPlan(device, plan, { inputs, outputs, arenaOffset: 1024 });
      expectExact(second.dst, first.dst, [outputs.dst]);
    });
  }
});

describe('resize/plan', () => {
  it('repeats every source position exactly for each integer factor', () => {
    for (let input = 1; input <= 97; input += 6) {
      for (const factor of [2, 3, 5, 7, 10, 13]) {
        for (const coordinates of ['half_pixel', 'asymmetric'] as const) {
          const output = input * factor;
          const axis = { input, output, scaleNumerator: output, scaleDenominator: input };
          const { index } = axisTaps(axis, { ...DEFAULT_SAMPLING, coordinates, nearest: 'floor' });
          const half = Array.from({ length: output }, (_, x) =>
            Math.max(Math.floor((2 * x + 1 - factor) / (2 * factor)), 0),
          );
          const whole = Array.from({ length: output }, (_, x) => Math.floor(x / factor));
          expect([...index]).toEqual(coordinates === 'asymmetric' ? whole : half);
        }
      }
    }
  });

  it('takes a float32 scale for the ratio it was rounded from', () => {
    const problem = makeResizeProblem({ dims: [1, 1, 9, 10], scales: [1, 1, 1 / 3, 0.7] });
    expect(problem.dstDims).toEqual([1, 1, 3, 7]);
    expect(problem.axes[2]).toEqual({ input: 9, output: 3, scaleNumerator: 3, scaleDenominator: 9 });
    expect(problem.axes[3]?.scaleDenominator).toBe(10);
  });

  it('keeps proportions', () => {
    const dims = (aspectRatio: 'not_larger' | 'not_smaller'): readonly number[] =>
      makeResizeProblem({ dims: [1, 1, 2, 4], axes: [2, 3], sizes: [7, 8], aspectRatio }).dstDims;
    expect(dims('not_larger')).toEqual([1, 1, 4, 8]);
    expect(dims('not_smaller')).toEqual([1, 1, 7, 14]);
  });

  it('compiles nothing for another picture size', () => {
    const wgsl = (height: number, width: number): string[] =>
      planResize(
        makeResizeProblem({
          dims: [1, 7, height, width],
          scales: [1, 1, 2, 2],
          sampling: { mode: 'linear' },
          layout: 'nhwc4',
        }),
        defaultCapabilities(),
        { mode: 'fast' },
      ).plan.passes.map((pass) => pass.wgsl);
    expect(wgsl(28, 31)).toEqual(wgsl(37, 29));
  });

  it('refuses channels in nhwc4, both or no lists, wrong axes, regions, attributes and products', () => {
    const base = { dims: [2, 3, 5, 7] };
    expect(() => makeResizeProblem({ ...base, sizes: [2, 4, 5, 7], layout: 'nhwc4' })).toThrow(
      /channels-last/,
    );
    expect(() => makeResizeProblem(base)).toThrow(/exactly one/);
    expect(() => makeResizeProblem({ ...base, axes: [2, -2], sizes: [5, 5] })).toThrow(GpuKernelShapeError);
    expect(() => makeResizeProblem({ ...base, scales: [1, 1, 0, 1] })).toThrow(/positive numbers/);
    expect(() => makeResizeProblem({ dims: [1, 1, 0], sizes: [1, 1, 3] })).toThrow(/axis is empty/);
    expect(() => makeResizeProblem({ dims: [1, 7, 7], sizes: [1, 2 ** 20, 2 ** 20] })).toThrow(/fewer than/);
    const sizes = [2, 3, 9, 9];
    const crop = { coordinates: 'tf_crop_and_resize' } as const;
    expect(() => makeResizeProblem({ ...base, sizes, sampling: { antialias: true } })).toThrow(
      /linear or cubic/,
    );
    expect(() => makeResizeProblem({ ...base, sizes, sampling: crop })).toThrow(/8 finite/);
    expect(() => makeResizeProblem({ ...base, sizes, roi: [0, 1], sampling: crop })).toThrow(/8 finite/);
    const epilogue = { bias: false, residual: true, activation: [] };
    expect(() => makeResizeProblem({ ...base, sizes, element: 'uint8', epilogue })).toThrow(/epilogue/);
  });
});
