/** Merged maps against float64: bit for bit, since they pick, multiply small integers and add them. */
import { defaultCapabilities } from '@onegpu/core';
import { expectEqual, expectExact, integerFill, runPlan, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { referenceMergeMaps } from '../reference/merge-maps.ts';
import { makeResizeProblem } from '../resize/problem.ts';
import { layoutElements, packNhwc4, unpackNhwc4 } from '../shared/layout.ts';
import { planMergeMaps } from './plan.ts';
import { type MapPart, type MergeMapsProblem, makeMergeMapsProblem } from './problem.ts';

function part(dims: readonly number[], scale: number, gated: boolean): MapPart {
  return { resize: makeResizeProblem({ dims, scales: [1, 1, scale, scale] }), gated };
}

const CASES: Readonly<Record<string, MergeMapsProblem>> = {
  'four maps side by side': makeMergeMapsProblem({
    merge: 'concat',
    parts: [
      part([2, 8, 2, 3], 4, true),
      part([2, 4, 4, 6], 2, false),
      part([2, 12, 8, 12], 1, true),
      part([2, 4, 1, 1], 1, false),
    ].map((entry, index) =>
      index === 3
        ? { ...entry, resize: makeResizeProblem({ dims: [2, 4, 3, 5], sizes: [2, 4, 8, 12] }) }
        : entry,
    ),
  }),
  'a sum of seven channels': makeMergeMapsProblem({
    merge: 'sum',
    parts: [part([2, 7, 3, 5], 2, false), part([2, 7, 6, 10], 1, true)],
  }),
  'a row that is repeated': makeMergeMapsProblem({
    merge: 'sum',
    parts: [part([1, 4, 1, 2], 2, true), part([1, 4, 1, 4], 1, true)],
  }),
  'no images': makeMergeMapsProblem({
    merge: 'sum',
    parts: [part([0, 4, 3, 5], 2, false), part([0, 4, 6, 10], 1, true)],
  }),
};

async function run(
  problem: MergeMapsProblem,
  { buffers, half = false, arenaOffset = 0 }: { buffers?: number; half?: boolean; arenaOffset?: number } = {},
) {
  const device = await testDevice();
  const { limits } = device.capabilities;
  const target = {
    ...device.capabilities,
    limits: { ...limits, maxStorageBuffersPerShaderStage: buffers ?? limits.maxStorageBuffersPerShaderStage },
  };
  const { plan } = planMergeMaps(problem, target, { mode: 'deterministic' });
  const operands = problem.parts.map(({ resize: { srcDims }, gated }, index) => {
    const [batch = 0, channels = 0] = srcDims;
    const src = integerFill(layoutElements(srcDims, 'nchw'), index + 1, -3, 3);
    return { src, gate: gated ? integerFill(batch * channels, index + 11, -3, 3) : undefined };
  });
  const expected = referenceMergeMaps(problem, operands);
  if (expected.length === 0) return { plan, got: new Float32Array(0), expected };
  const inputs: Record<string, Float32Array> = {};
  operands.forEach(({ src, gate }, index) => {
    const dims = problem.parts[index]?.resize.srcDims ?? [];
    inputs[`src${index}`] = packNhwc4(src, dims);
    if (gate !== undefined) inputs[`gate${index}`] = packNhwc4(gate, [...dims.slice(0, 2), 1, 1]);
  });
  const length = layoutElements(problem.dstDims, 'nhwc4');
  const { dst } = await runPlan(device, plan, { inputs, outputs: { dst: length }, half, arenaOffset });
  const got = unpackNhwc4(dst, problem.dstDims);
  expectEqual(dst, packNhwc4(got, problem.dstDims), [dst.length]);
  return { plan, got, expected };
}

describe('merged maps', () => {
  it.each(Object.entries(CASES))('%s', async (_, problem) => {
    const { got, expected } = await run(problem);
    expectEqual(got, expected, problem.dstDims);
    expectEqual((await run(problem, { half: true })).got, expected, problem.dstDims);
    expectExact((await run(problem, { arenaOffset: 512 })).got, got, problem.dstDims);
  });

  it('in several dispatches where few buffers can be bound', async () => {
    const problem = CASES['four maps side by side'] as MergeMapsProblem;
    const { plan, got, expected } = await run(problem, { buffers: 5 });
    expect(plan.passes).toHaveLength(2);
    expectEqual(got, expected, problem.dstDims);
  });

  it('another picture size compiles nothing', () => {
    const texts = [2, 3].map((height) => {
      const parts = [part([1, 8, height, 3], 2, false), part([1, 8, 2 * height, 6], 1, true)];
      const problem = makeMergeMapsProblem({ merge: 'sum', parts });
      return planMergeMaps(problem, defaultCapabilities(), { mode: 'fast' }).plan.passes[0]?.wgsl;
    });
    expect(texts[0]).toBe(texts[1]);
  });
});
