/** Gathers on the GPU, bit for bit, over words and pairs of words, by 32-bit and 64-bit indices. */
import { defaultCapabilities } from '@onegpu/core';
import { compilePlan, runPlan, seededRandom, testDevice } from '@onegpu/testing';
import { describe, expect, test } from 'vitest';
import { gatherReference } from '../reference/gather.ts';
import { GATHER_CASES, gatherCase, makeGatherRowsProblem, selectGather } from './index.ts';

const OPTIONS = { mode: 'deterministic' } as const;
const countOf = (dims: readonly number[]): number => dims.reduce((product, extent) => product * extent, 1);

function words(count: number): Uint32Array {
  const random = seededRandom(3);
  return Uint32Array.from({ length: count }, () => Math.floor(random() * 2 ** 32));
}

describe.each(GATHER_CASES)('$name', (entry) => {
  test.each([
    ['u32', 'i32'],
    ['u32', 'i64'],
    ['vec2u', 'i32'],
    ['vec2u', 'i64'],
  ] as const)('%s by %s', async (element, index) => {
    const device = await testDevice();
    const size = element === 'u32' ? 1 : 2;
    const { plan } = selectGather(gatherCase(entry, element, index), device.capabilities, OPTIONS);
    const src = words(size * countOf(entry.srcDims));
    const axis = entry.axis < 0 ? entry.axis + entry.srcDims.length : entry.axis;
    const expected = gatherReference({ data: src, dims: [...entry.srcDims, size] }, axis, entry.indices);
    const wide = new Uint32Array(BigInt64Array.from(entry.indices, BigInt).buffer);
    const { dst } = await runPlan(device, plan, {
      inputs: { src, index: index === 'i32' ? Int32Array.from(entry.indices) : wide },
      outputs: { dst: { type: 'uint32', length: expected.length } },
    });
    expect(dst).toEqual(expected);
  });
});

test('every case compiles', async () => {
  for (const entry of GATHER_CASES) {
    const target = defaultCapabilities();
    await compilePlan(selectGather(gatherCase(entry, 'vec2u', 'i64'), target, OPTIONS).plan);
  }
});

test('refuses an axis out of range, and an empty one', () => {
  const make = (srcDims: readonly number[], axis: number): unknown =>
    makeGatherRowsProblem({ srcDims, axis, indexDims: [2], element: 'u32', index: 'i32' });
  expect(() => make([3, 5], 2)).toThrow(/axis/);
  expect(() => make([0, 5], 0)).toThrow(/empty/);
});
