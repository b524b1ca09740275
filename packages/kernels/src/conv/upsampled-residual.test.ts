/** Convolutions that add a smaller map, each of whose pixels several of dst read, by every algorithm that does. */
import { defaultCapabilities, GpuKernelShapeError } from '@onegpu/core';
import { expectEqual, integerFill, runPlan, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { referenceConv } from '../reference/conv.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import { packNhwc4, unpackNhwc4 } from '../shared/layout.ts';
import { implicitGemmOf } from './implicit-gemm.ts';
import { type ConvProblem, convDstElements, convTerms, makeConvProblem } from './problem.ts';
import { convAlgorithms, selectConv } from './select.ts';

function problemOf(
  [batch, ic, ih, iw, oc, kernel]: readonly [number, number, number, number, number, number],
  factors: readonly [number, number],
): ConvProblem {
  const pad = (kernel - 1) / 2;
  return makeConvProblem({
    ...{ src: [batch, ic, ih, iw], weights: [oc, ic, kernel, kernel], pads: [pad, pad, pad, pad] },
    ...{ layout: 'nhwc4', weightsConstant: true },
    epilogue: {
      bias: true,
      residual: true,
      upsample: { factors, channels: oc },
      activation: [{ kind: 'relu' }],
    },
  });
}

const CASES = {
  'twice along both axes': problemOf([2, 16, 6, 10, 24, 1], [2, 2]),
  'odd channels, factors of their own, 3x3': problemOf([2, 5, 6, 4, 7, 3], [3, 4]),
};

const TILE = { tileM: 8, tileN: 8, tileK: 8, slices: 1, cell: { rows: 4, columns: 1 } };
const TESTED: readonly Algorithm<ConvProblem>[] = [
  ...convAlgorithms.filter(({ name }) => name === 'direct'),
  implicitGemmOf('implicit-gemm twin', () => [{ tile: TILE, splits: 1 }]),
  implicitGemmOf('split-k twin', () => [{ tile: { ...TILE, slices: 2 }, splits: 2 }]),
];

/** @param scratchBytes makes split-k work in chunks of pixels */
async function run(
  problem: ConvProblem,
  algorithm: Algorithm<ConvProblem>,
  scratchBytes?: number,
): Promise<void> {
  const { batch, ic, ih, iw, oc, oh, ow, epilogue } = problem;
  const [rows, columns] = epilogue.upsample?.factors ?? [1, 1];
  const fill = (length: number, seed: number): Float32Array => integerFill(length, seed, -3, 3);
  const coarseDims = [batch, oc, oh / rows, ow / columns];
  const coarse = fill((batch * oc * oh * ow) / rows / columns, 4);
  const operands = {
    src: fill(batch * ic * ih * iw, 1),
    weights: fill(oc * convTerms(problem), 2),
    bias: fill(oc, 3),
  };
  const device = await testDevice();
  const plan = algorithm.plan(problem, device.capabilities, { mode: 'deterministic', scratchBytes });
  const inputs = {
    ...operands,
    src: packNhwc4(operands.src, [batch, ic, ih, iw]),
    residual: packNhwc4(coarse, coarseDims),
  };
  const { dst } = await runPlan(device, plan, { inputs, outputs: { dst: convDstElements(problem) } });
  const residual = Float32Array.from({ length: batch * oc * oh * ow }, (_, index) => {
    const y = Math.floor((Math.floor(index / ow) % oh) / rows);
    const x = Math.floor((index % ow) / columns);
    const plane = Math.floor(index / ow / oh);
    return coarse[(plane * (oh / rows) + y) * (ow / columns) + x] ?? 0;
  });
  const dims = [batch, oc, oh, ow];
  const dense = unpackNhwc4(dst, dims);
  expectEqual(dst, packNhwc4(dense, dims), [dst.length]);
  expectEqual(dense, referenceConv(problem, { ...operands, residual }), dims);
}

describe.each(TESTED.map((entry) => [entry.name, entry] as const))('%s', (_, algorithm) => {
  it.each(Object.entries(CASES))('%s', (_name, problem) => run(problem, algorithm));
});

it('split-k in chunks of pixels', async () => {
  const [, , split] = TESTED as [unknown, unknown, Algorithm<ConvProblem>];
  await run(CASES['twice along both axes'], split, 7 * 2 * 24 * 4);
});

it('every problem has an algorithm, on any adapter', () => {
  for (const software of [false, true]) {
    for (const problem of Object.values(CASES)) {
      const { plan } = selectConv(problem, defaultCapabilities({ software }), { mode: 'fast' });
      expect(plan.label).toContain('residual-');
    }
  }
});

it('a map that does not fit is refused', () => {
  const refusal = expect.objectContaining({ details: expect.objectContaining({ field: 'upsample' }) });
  expect(() => problemOf([1, 4, 5, 4, 4, 1], [2, 2])).toThrow(GpuKernelShapeError);
  expect(() => problemOf([1, 4, 5, 4, 4, 1], [2, 2])).toThrow(refusal);
  expect(() => problemOf([1, 4, 4, 4, 4, 1], [1.5, 2])).toThrow(refusal);
});
