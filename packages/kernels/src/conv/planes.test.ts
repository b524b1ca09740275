/** Convolutions that read planes: nchw pictures of one to four channels, by every algorithm that does. */
import { defaultCapabilities, GpuKernelShapeError, halfToNumber, numberToHalf } from '@onegpu/core';
import { expectEqual, integerFill, runPlan, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { referenceConv } from '../reference/conv.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import { packNhwc4, unpackNhwc4 } from '../shared/layout.ts';
import { implicitGemmOf } from './implicit-gemm.ts';
import { type ConvProblem, type ConvRequest, convDstElements, makeConvProblem } from './problem.ts';
import { planarAlgorithms, selectConv } from './select.ts';

const EPILOGUE = { bias: true, residual: false, activation: [{ kind: 'relu' }] } as const;

function problemOf(src: readonly number[], weights: readonly number[], rest: Partial<ConvRequest> = {}) {
  const fixed = { layout: 'nhwc4', epilogue: EPILOGUE, weightsConstant: true, planes: true } as const;
  return makeConvProblem({ src, weights, ...fixed, ...rest });
}

const CASES = {
  'stem of 3 channels': problemOf([2, 3, 9, 13], [10, 3, 7, 7], { strides: [2, 2], pads: [3, 3, 3, 3] }),
  '1 channel, 1x1': problemOf([3, 1, 5, 7], [5, 1, 1, 1]),
  '2 channels, dilated': problemOf([1, 2, 7, 9], [8, 2, 3, 3], { dilations: [2, 1], pads: [1, 0, 2, 1] }),
  '4 channels': problemOf([2, 4, 5, 3], [6, 4, 3, 2], { pads: [1, 1, 1, 0] }),
};

const TILE = { tileM: 8, tileN: 8, tileK: 8, slices: 2, cell: { rows: 4, columns: 1 } };
const TESTED: readonly Algorithm<ConvProblem>[] = [
  implicitGemmOf('sliced twin', () => [{ tile: TILE, splits: 1 }]),
  implicitGemmOf('split-k twin', () => [{ tile: TILE, splits: 2 }]),
  ...planarAlgorithms.filter(({ name }) => name === 'converted'),
];

async function run(problem: ConvProblem, algorithm: Algorithm<ConvProblem>, half: boolean): Promise<void> {
  const { batch, ic, ih, iw, oc, oh, ow, kh, kw } = problem;
  const operands = {
    src: integerFill(batch * ic * ih * iw, 1, -3, 3),
    weights: integerFill(oc * ic * kh * kw, 2, -3, 3),
    bias: integerFill(oc, 3, -3, 3),
  };
  const device = await testDevice();
  const plan = algorithm.plan(problem, device.capabilities, { mode: 'deterministic' });
  const outputs = { dst: convDstElements(problem) };
  const { dst } = await runPlan(device, plan, { inputs: operands, outputs, half });
  const dims = [batch, oc, oh, ow];
  const dense = unpackNhwc4(dst, dims);
  expectEqual(dst, packNhwc4(dense, dims), [dst.length]);
  const expected = referenceConv(problem, operands);
  const stored = half ? Float32Array.from(expected, (sum) => halfToNumber(numberToHalf(sum))) : expected;
  expectEqual(dense, stored, dims);
}

describe.each(TESTED.map((entry) => [entry.name, entry] as const))('%s', (_, algorithm) => {
  it.each(Object.entries(CASES))('%s', (_, problem) => run(problem, algorithm, false));
  it('of float16', () => run(CASES['2 channels, dilated'], algorithm, true));
});

describe('the choice', () => {
  it('is one dispatch on hardware, a change of layout before it on a software adapter', () => {
    const problem = problemOf([1, 3, 224, 224], [64, 3, 7, 7], { strides: [2, 2], pads: [3, 3, 3, 3] });
    const labels = (software: boolean): string[] => {
      const { plan } = selectConv(problem, defaultCapabilities({ software }), { mode: 'fast' });
      return plan.passes.map(({ label }) => label);
    };
    expect(labels(false)).toEqual([expect.stringMatching(/^conv\/implicit-gemm\/.*\/planes\/bias\+relu$/)]);
    expect(labels(true)[0]).toBe('convert-layout/planes/u32/nhwc4');
    expect(labels(true)).toHaveLength(2);
  });

  it('refuses more than four channels and groups', () => {
    expect(() => problemOf([1, 5, 7, 9], [8, 5, 3, 3])).toThrow(GpuKernelShapeError);
    expect(() => problemOf([1, 4, 7, 9], [8, 2, 3, 3], { groups: 2 })).toThrow('planes');
  });
});
