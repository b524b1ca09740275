/** Averages over float16 maps whose sums pass 65504: the sum is float32, so the average is right and not infinite. */
import { expectExact, testDevice } from '@onegpu/testing';
import { expect, test } from 'vitest';
import { makeGlobalPoolProblem, planReduce } from '../src/index.ts';
import { runInLayout } from './run-in-layout.ts';

test.each(['nchw', 'nhwc4'] as const)('global average of large numbers, %s', async (layout) => {
  const dims = [1, 3, 37, 53];
  const problem = makeGlobalPoolProblem({ operation: 'average', dims, layout });
  const { plan } = planReduce(problem, (await testDevice()).capabilities, { mode: 'deterministic' });
  const plane = 37 * 53;
  const levels = [60, -1024, 60000];
  const data = Float32Array.from({ length: 3 * plane }, (_, at) => levels[Math.floor(at / plane)] ?? 0);
  expect(60 * plane).toBeGreaterThan(65504);
  const got = await runInLayout(plan, {
    ...{ layout, inputs: { src: { data, dims } }, dstDims: [1, 3, 1, 1], half: true },
  });
  expectExact(got, levels, [3]);
});
