/** Convolutions that read planes: nchw pictures of one to four channels, by every algorithm that does. */
import { defaultCapabilities, GpuKernelShapeError } from '@onegpu/core';
import { expectEqual, integerFill, runPlan, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { checkSums, type FloatStorage } from '../../test/check-sums.ts';
import { type ConvOperands, referenceConv } from '../reference/conv.ts';
import { convSum } from '../reference/sums.ts';
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

/** Of the 3 x 7 x 7 terms of its windows, steps cross rows and planes, and the last one ends behind them. */
const STEM = { strides: [2, 2], pads: [3, 3, 3, 3] } as const;

const CASES = {
  'stem of 3 channels': problemOf([2, 3, 9, 13], [10, 3, 7, 7], STEM),
  '3 channels, 3x3': problemOf([1, 3, 6, 9], [16, 3, 3, 3], { strides: [2, 2], pads: [1, 1, 1, 1] }),
  '1 channel, 5x5': problemOf([2, 1, 6, 5], [6, 1, 5, 5], { pads: [2, 2, 2, 2] }),
  '1 channel, 1x1': problemOf([3, 1, 5, 7], [5, 1, 1, 1]),
  '3 channels, 1x1 in padding': problemOf([2, 3, 3, 2], [4, 3, 1, 1], { pads: [1, 2, 0, 1] }),
  '2 channels, dilated': problemOf([1, 2, 7, 9], [8, 2, 3, 3], { dilations: [2, 1], pads: [1, 0, 2, 1] }),
  '3 channels, dilated columns': problemOf([1, 3, 4, 9], [5, 3, 2, 3], {
    dilations: [1, 3],
    pads: [0, 2, 1, 3],
  }),
  '4 channels': problemOf([2, 4, 5, 3], [6, 4, 3, 2], { pads: [1, 1, 1, 0] }),
  'no gap at the end': problemOf([1, 4, 5, 6], [8, 4, 2, 2]),
  'a window of 17x17': problemOf([1, 1, 5, 6], [4, 1, 17, 17], { pads: [8, 8, 8, 8] }),
};

const TILE = { tileM: 8, tileN: 8, tileK: 8, slices: 2, cell: { rows: 4, columns: 1 } };
const TESTED: readonly Algorithm<ConvProblem>[] = [
  implicitGemmOf('sliced twin', () => [{ tile: TILE, splits: 1 }]),
  implicitGemmOf('split-k twin', () => [{ tile: TILE, splits: 2 }]),
  ...planarAlgorithms.filter(({ name }) => name === 'converted'),
];

interface Filled extends ConvOperands {
  readonly src: Float32Array;
  readonly weights: Float32Array;
  readonly bias: Float32Array;
}

function fillOperands(problem: ConvProblem, fill: (length: number, seed: number) => Float32Array): Filled {
  const { batch, ic, ih, iw, oc, kh, kw } = problem;
  return { src: fill(batch * ic * ih * iw, 1), weights: fill(oc * ic * kh * kw, 2), bias: fill(oc, 3) };
}

const dstDims = ({ batch, oc, oh, ow }: ConvProblem): number[] => [batch, oc, oh, ow];

async function run(
  problem: ConvProblem,
  algorithm: Algorithm<ConvProblem>,
  { src, weights, bias }: Filled,
  half = false,
): Promise<Float32Array> {
  const device = await testDevice();
  const plan = algorithm.plan(problem, device.capabilities, { mode: 'deterministic' });
  const outputs = { dst: convDstElements(problem) };
  const { dst } = await runPlan(device, plan, { inputs: { src, weights, bias }, outputs, half });
  const dense = unpackNhwc4(dst, dstDims(problem));
  expectEqual(dst, packNhwc4(dense, dstDims(problem)), [dst.length]);
  return dense;
}

/** Integers bit for bit, floats within the bound of any order of the sum. */
function check(
  problem: ConvProblem,
  algorithm: Algorithm<ConvProblem>,
  storage: FloatStorage,
): Promise<void> {
  return checkSums({
    ...{ storage, dstDims: dstDims(problem), sum: convSum(problem) },
    operands: (fill) => fillOperands(problem, fill),
    run: (operands) => run(problem, algorithm, operands, storage === 'float16'),
    reference: (operands) => referenceConv(problem, operands),
  });
}

describe.each(TESTED.map((entry) => [entry.name, entry] as const))('%s', (_, algorithm) => {
  it.each(Object.entries(CASES))('%s', (_, problem) => check(problem, algorithm, 'float32'));
  it('of float16', () => check(CASES['2 channels, dilated'], algorithm, 'float16'));

  it('reads nothing of the pictures beside its own', async () => {
    const problem = problemOf([3, 3, 4, 5], [4, 3, 7, 7], STEM);
    const operands = fillOperands(problem, (length, seed) => integerFill(length, seed, -3, 3));
    const expected = await run(problem, algorithm, operands);
    const picture = operands.src.length / 3;
    operands.src.fill(Number.NaN, picture, 2 * picture);
    const got = await run(problem, algorithm, operands);
    const third = got.length / 3;
    for (const begin of [0, 2 * third]) {
      expect(got.subarray(begin, begin + third)).toEqual(expected.subarray(begin, begin + third));
    }
  });
});

it('has no gaps in k', () => {
  const [implicit] = TESTED;
  const target = defaultCapabilities();
  const plan = implicit?.plan(CASES['stem of 3 channels'], target, { mode: 'fast' });
  // 3 x 7 x 7 = 147 terms in steps of 8; 10 channels in tiles of 8.
  expect(plan?.packing.find(({ operand }) => operand === 'weights')?.elements).toBe(152 * 16);
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

  it('changes the layout where there is a gate', () => {
    const problem = problemOf([1, 3, 9, 9], [64, 3, 3, 3], { gate: true });
    expect(selectConv(problem, defaultCapabilities(), { mode: 'fast' }).algorithm).toBe('converted');
  });

  it('refuses more than four channels and groups', () => {
    expect(() => problemOf([1, 5, 7, 9], [8, 5, 3, 3])).toThrow(GpuKernelShapeError);
    expect(() => problemOf([1, 4, 7, 9], [8, 2, 3, 3], { groups: 2 })).toThrow('planes');
  });
});
