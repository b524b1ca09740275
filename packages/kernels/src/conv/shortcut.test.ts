/** Convolutions with a shortcut: two sources in one sum, by every algorithm that reads them. */
import { defaultCapabilities, GpuKernelShapeError } from '@onegpu/core';
import {
  expectEqual,
  expectWithin,
  integerFill,
  randomFill,
  runPlan,
  sumTolerance,
  testDevice,
} from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { referenceConv } from '../reference/conv.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import { packNhwc4, unpackNhwc4 } from '../shared/layout.ts';
import { implicitGemmOf } from './implicit-gemm.ts';
import { type ConvProblem, convDstElements, convTerms, makeConvProblem } from './problem.ts';
import { selectConv, shortcutAlgorithms } from './select.ts';

const EPILOGUE = { bias: true, residual: false, activation: [{ kind: 'relu' }] } as const;

function problemOf(
  [batch, ic, ih, iw, oc, kernel, pad, stride]: readonly [
    ...[number, number, number, number, number, number, number, number],
  ],
  [channels, height, width, step]: readonly [number, number, number, number],
): ConvProblem {
  return makeConvProblem({
    ...{ src: [batch, ic, ih, iw], weights: [oc, ic, kernel, kernel], layout: 'nhwc4', epilogue: EPILOGUE },
    ...{ pads: [pad, pad, pad, pad], strides: [stride, stride], weightsConstant: true },
    shortcut: {
      src: [batch, channels, height, width],
      weights: [oc, channels, 1, 1],
      strides: [step, step],
    },
  });
}

const CASES = {
  '1x1, whole tiles': problemOf([1, 16, 5, 7, 16, 1, 0, 1], [32, 5, 7, 1]),
  '1x1, ragged channels, shortcut of stride 2': problemOf([2, 19, 5, 7, 13, 1, 0, 1], [7, 9, 14, 2]),
  '3x3, shortcut of strides 3': problemOf([1, 6, 5, 3, 10, 3, 1, 1], [21, 13, 9, 3]),
  '3x3 stride 2': problemOf([1, 5, 9, 7, 3, 3, 1, 2], [2, 5, 4, 1]),
};

const TILE = { tileM: 8, tileN: 8, tileK: 8, slices: 1, cell: { rows: 4, columns: 1 } };
const [separate] = shortcutAlgorithms as [Algorithm<ConvProblem>];
const TESTED: readonly Algorithm<ConvProblem>[] = [
  implicitGemmOf('implicit-gemm twin', () => [{ tile: TILE, splits: 1 }]),
  implicitGemmOf('sliced twin', () => [{ tile: { ...TILE, slices: 3 }, splits: 1 }]),
  implicitGemmOf('split-k twin', () => [{ tile: { ...TILE, slices: 2 }, splits: 2 }]),
  separate,
];

async function run(
  problem: ConvProblem,
  algorithm: Algorithm<ConvProblem>,
  fill: (length: number, seed: number) => Float32Array,
): Promise<{ got: Float32Array; expected: Float64Array }> {
  const { batch, ic, ih, iw, oc, oh, ow, kh, kw, shortcut } = problem;
  if (shortcut === undefined) throw new RangeError('no shortcut');
  const operands = {
    src: fill(batch * ic * ih * iw, 1),
    weights: fill(oc * ic * kh * kw, 2),
    bias: fill(oc, 3),
    shortcutSrc: fill(batch * shortcut.ic * shortcut.ih * shortcut.iw, 4),
    shortcutWeights: fill(oc * shortcut.ic, 5),
  };
  const device = await testDevice();
  const plan = algorithm.plan(problem, device.capabilities, { mode: 'deterministic' });
  const { dst } = await runPlan(device, plan, {
    inputs: {
      ...operands,
      src: packNhwc4(operands.src, [batch, ic, ih, iw]),
      shortcutSrc: packNhwc4(operands.shortcutSrc, [batch, shortcut.ic, shortcut.ih, shortcut.iw]),
    },
    outputs: { dst: convDstElements(problem) },
  });
  const dims = [batch, oc, oh, ow];
  const dense = unpackNhwc4(dst, dims);
  expectEqual(dst, packNhwc4(dense, dims), [dst.length]);
  return { got: dense, expected: referenceConv(problem, operands) };
}

describe.each(TESTED.map((entry) => [entry.name, entry] as const))('%s', (_, algorithm) => {
  it.each(Object.entries(CASES))('%s', async (_, problem) => {
    const dims = [problem.batch, problem.oc, problem.oh, problem.ow];
    const exact = await run(problem, algorithm, (length, seed) => integerFill(length, seed, -3, 3));
    expectEqual(exact.got, exact.expected, dims);
    const real = await run(problem, algorithm, randomFill);
    expectWithin(real.got, real.expected, sumTolerance({ terms: convTerms(problem) }), dims);
  });
});

describe('the choice', () => {
  const problem = problemOf([1, 64, 56, 56, 256, 1, 0, 1], [64, 56, 56, 1]);

  it('is one sum on hardware, two convolutions on a software adapter', () => {
    const onHardware = selectConv(problem, defaultCapabilities({ software: false }), { mode: 'fast' });
    expect(onHardware.plan.label).toMatch(/^conv\/implicit-gemm\/f32\/.*\/shortcut\/bias\+relu$/);
    expect(onHardware.plan.passes).toHaveLength(1);
    const onSoftware = selectConv(problem, defaultCapabilities({ software: true }), { mode: 'fast' });
    expect(onSoftware.plan.label).toBe('conv/separate/f32/shortcut/bias+relu');
    expect(onSoftware.plan.passes.map(({ label }) => label)).toEqual([
      'conv/register-tile/f32/4x16',
      'conv/register-tile/f32/4x16/bias+residual+relu',
    ]);
  });

  it('is two convolutions where Winograd makes the first', () => {
    const dense = problemOf([8, 256, 32, 32, 256, 3, 1, 1], [128, 64, 64, 2]);
    const target = defaultCapabilities({ software: false });
    const labels = (mode: 'fast' | 'deterministic'): string[] =>
      selectConv(dense, target, { mode }).plan.passes.map(({ label }) => label);
    expect(labels('fast').at(-1)).toMatch(/^conv\/winograd\/.*\/bias\+residual\+relu/);
    expect(labels('deterministic').at(-1)).toMatch(/^conv\/winograd-2x2\/.*\/bias\+residual\+relu/);
  });

  it('compiles nothing for another picture size', () => {
    const other = problemOf([3, 64, 11, 9, 256, 1, 0, 1], [64, 11, 9, 1]);
    const texts = [problem, other].map((entry) => {
      const configuration = '32x32x16/4x4s2';
      const target = defaultCapabilities({ software: false });
      const options = { mode: 'fast', algorithm: 'implicit-gemm', configuration } as const;
      return selectConv(entry, target, options).plan.passes.map((pass) => pass.wgsl);
    });
    expect(texts[1]).toEqual(texts[0]);
  });

  it('refuses a shortcut of other extents, channels or groups', () => {
    expect(() => problemOf([1, 4, 5, 7, 8, 1, 0, 1], [4, 5, 8, 1])).toThrow(GpuKernelShapeError);
    expect(() => problemOf([1, 4, 5, 7, 8, 1, 0, 1], [4, 5, 7, 2])).toThrow('shortcutSrc');
    const request = { src: [1, 4, 5, 7], weights: [8, 4, 1, 1], epilogue: EPILOGUE, weightsConstant: true };
    const shortcut = { src: [1, 4, 5, 7], weights: [7, 4, 1, 1] };
    expect(() => makeConvProblem({ ...request, shortcut, layout: 'nhwc4' })).toThrow('shortcutWeights');
  });
});
