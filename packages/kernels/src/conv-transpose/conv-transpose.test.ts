import { defaultCapabilities } from '@onegpu/core';
import {
  expectEqual,
  expectWithin,
  integerFill,
  randomFill,
  runPlan,
  sumTolerance,
  testDevice,
} from '@onegpu/testing';
import { describe, expect, test } from 'vitest';
import { applyActivation } from '../reference/activation.ts';
import { type ConvTransposeReferenceOperands, convTransposeReference } from '../reference/conv-transpose.ts';
import { convTransposeSum } from '../reference/sums.ts';
import { type Layout, layoutElements, packNhwc4, unpackNhwc4 } from '../shared/layout.ts';
import { CONV_TRANSPOSE_CASES, convTransposeCase } from './cases.ts';
import { convTransposeDstLayout } from './layouts.ts';
import { axisPhases } from './phases.ts';
import { type ConvTransposeProblem, makeConvTransposeProblem } from './problem.ts';
import { CONV_TRANSPOSE_ALGORITHMS, selectConvTranspose } from './select.ts';
import { tapCount } from './spec.ts';

type Fill = (length: number, seed: number) => Float32Array;

const product = (dims: readonly number[]): number => dims.reduce((total, extent) => total * extent, 1);
const integers: Fill = (length, seed) => integerFill(length, seed, -4, 4);
/** Error of an activation formula, in ulp. */
const FUNCTION_ULP = 4;
const LAYOUTS: readonly Layout[] = ['nchw', 'nhwc4'];

function srcDims({ batch, ic, vertical, horizontal }: ConvTransposeProblem): readonly number[] {
  return [batch, ic, vertical.input, horizontal.input];
}

function dstDims({ batch, oc, vertical, horizontal }: ConvTransposeProblem): readonly number[] {
  return [batch, oc, vertical.output, horizontal.output];
}

type Operands = ConvTransposeReferenceOperands & { readonly src: Float32Array };

function operandsOf(problem: ConvTransposeProblem, fill: Fill): Operands {
  const { ic, oc, groups, epilogue } = problem;
  return {
    src: fill(product(srcDims(problem)), 1),
    weights: fill((ic * oc * tapCount(problem)) / groups, 2),
    bias: epilogue.bias ? fill(oc, 3) : undefined,
    residual: epilogue.residual ? fill(product(dstDims(problem)), 4) : undefined,
  };
}

function expectedOf(problem: ConvTransposeProblem, operands: ConvTransposeReferenceOperands): Float64Array {
  const { activation } = problem.epilogue;
  return convTransposeReference(problem, operands).map((sum) => applyActivation(activation, sum));
}

/** Runs the plan and answers in nchw; in nhwc4 the padding lanes are checked to be zero. */
async function runConvTranspose(
  problem: ConvTransposeProblem,
  operands: Operands,
  options: { algorithm: string; workgroupLimit?: number; arenaOffset?: number },
): Promise<Float32Array> {
  const device = await testDevice();
  const { capabilities } = device;
  const limits = { ...capabilities.limits };
  const target =
    options.workgroupLimit === undefined
      ? capabilities
      : { ...capabilities, limits: { ...limits, maxComputeWorkgroupsPerDimension: options.workgroupLimit } };
  const { plan } = selectConvTranspose(problem, target, { mode: 'fast', algorithm: options.algorithm });
  const stored = (data: Float32Array, dims: readonly number[], layout: Layout): Float32Array =>
    layout === 'nchw' ? data : packNhwc4(data, dims);
  const { src, weights, bias, residual } = operands;
  const inputs = {
    src: stored(src, srcDims(problem), problem.layout),
    weights,
    ...(bias === undefined ? {} : { bias }),
    ...(residual === undefined ? {} : { residual: stored(residual, dstDims(problem), problem.dstLayout) }),
  };
  const length = layoutElements(dstDims(problem), problem.dstLayout);
  const { dst } = await runPlan(device, plan, {
    inputs,
    outputs: { dst: length },
    arenaOffset: options.arenaOffset ?? 0,
  });
  if (problem.dstLayout === 'nchw') return dst;
  const dense = unpackNhwc4(dst, dstDims(problem));
  expectEqual(dst, packNhwc4(dense, dstDims(problem)), [dst.length]);
  return dense;
}

interface Variant {
  readonly algorithm: string;
  readonly layout: Layout;
  readonly taken: readonly { readonly name: string; readonly problem: ConvTransposeProblem }[];
}

/** Every algorithm in every layout, with the cases it can take. */
const VARIANTS: readonly Variant[] = CONV_TRANSPOSE_ALGORITHMS.flatMap((entry) =>
  LAYOUTS.map((layout) => ({
    algorithm: entry.name,
    layout,
    taken: CONV_TRANSPOSE_CASES.map((row) => ({
      name: row.name,
      problem: convTransposeCase(row, layout),
    })).filter(({ problem }) => entry.impossible(problem, defaultCapabilities()) === undefined),
  })),
).filter(({ taken }) => taken.length > 0);

describe.each(VARIANTS)('$algorithm $layout', ({ algorithm, layout, taken }) => {
  test.each(taken)('$name', async ({ problem }) => {
    const exact = operandsOf(problem, integers);
    const got = await runConvTranspose(problem, exact, { algorithm });
    expectEqual(got, expectedOf(problem, exact), dstDims(problem));
    const real = operandsOf(problem, randomFill);
    expectWithin(
      await runConvTranspose(problem, real, { algorithm }),
      expectedOf(problem, real),
      sumTolerance(convTransposeSum(problem)),
      dstDims(problem),
    );
  });

  test('an activation that moves zero leaves the padding lanes zero; arena offsets change no bit', async () => {
    const problem = makeConvTransposeProblem({
      srcDims: [1, 16, 3, 5],
      weightsDims: [16, 3, 2, 2],
      biasDims: [3],
      strides: [2, 2],
      layout,
      weightsConstant: true,
      activation: [{ kind: 'sigmoid' }],
    });
    const operands = operandsOf(problem, randomFill);
    const got = await runConvTranspose(problem, operands, { algorithm });
    expectWithin(
      got,
      expectedOf(problem, operands),
      sumTolerance({ terms: 16, activationUlp: FUNCTION_ULP }),
      dstDims(problem),
    );
    expectEqual(
      await runConvTranspose(problem, operands, { algorithm, arenaOffset: 512 }),
      got,
      dstDims(problem),
    );
  });

  test('grids over the limit of one dimension are folded', async () => {
    const problem = taken[0]?.problem;
    if (problem === undefined) return;
    const operands = operandsOf(problem, integers);
    const got = await runConvTranspose(problem, operands, { algorithm, workgroupLimit: 2 });
    expectEqual(got, expectedOf(problem, operands), dstDims(problem));
  });
});

describe('one channel out of nhwc4 written dense', () => {
  const denseCases = CONV_TRANSPOSE_CASES.filter(({ name }) => /one channel/.test(name));
  test.each(denseCases)('$name', async ({ options }) => {
    const rest = { residual: true, activation: [{ kind: 'sigmoid' }] } as const;
    const problem = makeConvTransposeProblem({ ...options, ...rest, layout: 'nhwc4', dstLayout: 'nchw' });
    const operands = operandsOf(problem, randomFill);
    expectWithin(
      await runConvTranspose(problem, operands, { algorithm: 'pixel-taps' }),
      expectedOf(problem, operands),
      sumTolerance({ ...convTransposeSum(problem), activationUlp: FUNCTION_ULP }),
      dstDims(problem),
    );
  });

  test('is chosen where kernel = stride, and refused for more channels', () => {
    const problem = (oc: number, kernel: number) =>
      makeConvTransposeProblem({
        ...{ srcDims: [1, 8, 3, 5], weightsDims: [8, oc, kernel, kernel], strides: [2, 2] },
        ...{ layout: 'nhwc4', weightsConstant: true },
      });
    const target = defaultCapabilities();
    expect(convTransposeDstLayout(problem(1, 2), target)).toBe('nchw');
    expect(convTransposeDstLayout(problem(1, 3), target)).toBe('nhwc4');
    expect(convTransposeDstLayout(problem(2, 2), target)).toBe('nhwc4');
    expect(() =>
      makeConvTransposeProblem({
        srcDims: [1, 4, 2, 2],
        weightsDims: [4, 2, 2, 2],
        layout: 'nhwc4',
        dstLayout: 'nchw',
      }),
    ).toThrow(expect.objectContaining({ details: expect.objectContaining({ field: 'dstLayout' }) }));
  });
});

describe('plans', () => {
  test.each(CONV_TRANSPOSE_ALGORITHMS.map((entry) => [entry.name, entry] as const))(
    '%s: another picture size compiles nothing',
    (name, entry) => {
      const target = defaultCapabilities();
      const texts = [
        [1, 8, 5, 7],
        [2, 8, 12, 16],
      ].flatMap((dims) =>
        LAYOUTS.flatMap((layout) => {
          const problem = makeConvTransposeProblem({
            srcDims: dims,
            weightsDims: [8, 4, 2, 2],
            strides: [2, 2],
            layout,
            weightsConstant: true,
          });
          if (entry.impossible(problem, target) !== undefined) return [];
          const { plan } = selectConvTranspose(problem, target, { mode: 'fast', algorithm: name });
          return [plan.passes.map((pass) => pass.wgsl)];
        }),
      );
      expect(texts.slice(0, texts.length / 2)).toEqual(texts.slice(texts.length / 2));
    },
  );

  test('the choice follows window, layout and adapter', () => {
    const choice = (kernel: number, layout: Layout, software: boolean, [ic, oc] = [64, 64]): string =>
      selectConvTranspose(
        makeConvTransposeProblem({
          srcDims: [1, ic, 8, 8],
          weightsDims: [ic, oc, kernel, kernel],
          strides: [2, 2],
          layout,
          weightsConstant: true,
        }),
        defaultCapabilities({ software }),
      ).algorithm;
    expect(choice(2, 'nhwc4', true)).toBe('pixel-shuffle');
    expect(choice(2, 'nhwc4', false)).toBe('pixel-shuffle-tiled');
    expect(choice(2, 'nhwc4', false, [24, 24])).toBe('pixel-taps');
    expect(choice(2, 'nhwc4', false, [256, 1])).toBe('pixel-taps');
    expect(choice(2, 'nhwc4', true, [24, 24])).toBe('pixel-shuffle');
    expect(choice(4, 'nhwc4', true)).toBe('gather');
    expect(choice(4, 'nhwc4', false)).toBe('gemm-col2im');
    expect(choice(4, 'nchw', true)).toBe('gemm-col2im');
  });

  test('a scratch over the limit is refused with its size', () => {
    const target = defaultCapabilities();
    const problem = makeConvTransposeProblem({ srcDims: [1, 64, 512, 512], weightsDims: [64, 64, 4, 4] });
    const { algorithm, refused } = selectConvTranspose(problem, target);
    expect(algorithm).toBe('direct');
    expect(refused.find((entry) => entry.algorithm === 'gemm-col2im')?.reason).toContain('bytes of scratch');
  });
});

describe('problems', () => {
  test.each([
    ['rank', { srcDims: [1, 2, 3, 3, 3], weightsDims: [2, 2, 2, 2, 2] }, 'src'],
    ['input channels', { srcDims: [1, 2, 3, 3], weightsDims: [3, 2, 2, 2] }, 'weights'],
    ['groups', { srcDims: [1, 4, 3, 3], weightsDims: [4, 2, 2, 2], groups: 3 }, 'groups'],
    ['bias', { srcDims: [1, 4, 3, 3], weightsDims: [4, 2, 2, 2], biasDims: [3] }, 'bias'],
    ['pads', { srcDims: [1, 4, 1, 1], weightsDims: [4, 2, 2, 2], pads: [2, 2, 2, 2] }, 'pads'],
  ])('wrong %s', (_, options, field) => {
    expect(() => makeConvTransposeProblem(options)).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ field }) }),
    );
  });

  test('taps of a phase are those whose products land there', () => {
    for (const stride of [1, 2, 3, 4, 6]) {
      for (const dilation of [1, 2, 3, 4]) {
        const kernel = 5;
        const { first, step, taps } = axisPhases({ kernel, stride, dilation });
        first.forEach((start, phase) => {
          const reached = Array.from({ length: taps }, (_, j) => start + j * step).filter(
            (tap) => tap < kernel,
          );
          const wanted = Array.from({ length: kernel }, (_, tap) => tap).filter(
            (tap) => (tap * dilation) % stride === phase,
          );
          expect(reached).toEqual(wanted);
        });
      }
    }
  });
});
