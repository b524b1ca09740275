/** Max pooling with indices, and of bytes: values and positions are exact. */
import { type OperandArray, storeNarrow } from '@onegpu/core';
import { expectExact, integerFill, runPlan, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { referencePool, referencePoolIndices } from '../reference/pool.ts';
import { layoutElements, packNhwc4 } from '../shared/layout.ts';
import { POOL_CASES } from './cases.ts';
import { type IndexOrder, makePoolProblem, type PoolElement, type PoolProblem } from './problem.ts';
import { planPool } from './select.ts';

const MAXIMA = POOL_CASES.filter(({ problem }) => problem.operation === 'max');
const PLANAR = MAXIMA.filter(({ problem }) => problem.layout === 'nchw');

async function runIndices(problem: PoolProblem, src: Float32Array, half = false) {
  const device = await testDevice();
  const { plan } = planPool(problem, device.capabilities, { mode: 'deterministic' });
  const length = layoutElements(problem.dstDims, 'nchw');
  const outputs = { dst: length, indices: { type: 'int32', length: 2 * length } } as const;
  const { dst, indices } = await runPlan(device, plan, { inputs: { src }, outputs, half });
  const words = new Int32Array(indices);
  const numbers = Float64Array.from({ length }, (_, at) => words[2 * at] ?? 0);
  const upper = Float64Array.from({ length }, (_, at) => words[2 * at + 1] ?? 0);
  expect(upper).toEqual(numbers.map((value) => (value < 0 ? -1 : 0)));
  return { dst, numbers };
}

describe.each(['row-major', 'column-major'] as const)('max-pool/indices, %s', (indices: IndexOrder) => {
  it.each(PLANAR)('$name', async ({ problem: plain }) => {
    const problem: PoolProblem = { ...plain, indices };
    // Few values: most windows hold their maximum more than once.
    const src = integerFill(layoutElements(problem.srcDims, 'nchw'), 41, -2, 2);
    const { dst, numbers } = await runIndices(problem, src);
    expectExact(dst, Float32Array.from(referencePool(problem, src)), problem.dstDims);
    expectExact(numbers, referencePoolIndices(problem, src), problem.dstDims);
  });
});

describe('max-pool/indices of special values', () => {
  const problem = makePoolProblem({ operation: 'max', dims: [1, 1, 5], kernel: [3], indices: 'row-major' });
  const { NaN: nan, NEGATIVE_INFINITY: low } = Number;
  const rows: [string, number[], number[]][] = [
    ['NaN alone: the first', [nan, nan, nan, -1, nan], [0, 3, 3]],
    ['-Infinity is there', [nan, low, low, low, nan], [1, 1, 2]],
    ['0 is above -0', [-0, 0, -0, -0, -0], [1, 1, 2]],
  ];
  it.each(rows)('%s', async (_, values, expected) => {
    const src = Float32Array.from(values);
    for (const half of [false, true]) {
      const { numbers } = await runIndices(problem, src, half);
      expect([...numbers]).toEqual(expected);
    }
    expect([...referencePoolIndices(problem, src)]).toEqual(expected);
  });
});

describe.each(['int8', 'uint8'] as const)('max-pool/bytes, %s', (element: PoolElement) => {
  it.each(MAXIMA)('$name', async ({ problem: plain }) => {
    const problem: PoolProblem = { ...plain, element };
    const { srcDims, dstDims, layout } = problem;
    const values = integerFill(layoutElements(srcDims, 'nchw'), 42, -128, 127);
    const src = element === 'int8' ? Int8Array.from(values) : Uint8Array.from(values, (value) => value + 128);
    const device = await testDevice();
    const { plan } = planPool(problem, device.capabilities, { mode: 'deterministic' });
    const stored = (data: OperandArray, dims: readonly number[]): OperandArray =>
      layout === 'nchw' ? data : packNhwc4(data, dims);
    const length = layoutElements(dstDims, layout);
    const { dst } = await runPlan(
      device,
      storeNarrow(plan, { src: element, dst: element }, device.capabilities),
      { inputs: { src: stored(src, srcDims) }, outputs: { dst: { type: element, length } } },
    );
    const expected = Int16Array.from(referencePool(problem, src));
    expectExact(Int16Array.from(dst), Int16Array.from(stored(expected, dstDims)), [length]);
    expect(plan.label).toMatch(element === 'int8' ? /\/i8\// : /\/u8\//);
  });
});
