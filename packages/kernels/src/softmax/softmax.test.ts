/** Softmax and LogSoftmax on the GPU against float64. */
import { type DispatchPlan, GpuKernelShapeError } from '@onegpu/core';
import { expectWithin, randomFill, runPlan, sumTolerance, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { referenceSoftmax } from '../reference/softmax.ts';
import { softmaxSum } from '../reference/sums.ts';
import { SOFTMAX_CASES } from './cases.ts';
import { makeSoftmaxProblem } from './problem.ts';
import { planSoftmax, SOFTMAX_ALGORITHMS } from './select.ts';

async function run(plan: DispatchPlan, src: Float32Array): Promise<Float32Array> {
  const { dst } = await runPlan(await testDevice(), plan, { inputs: { src }, outputs: { dst: src.length } });
  return dst;
}

for (const algorithm of SOFTMAX_ALGORITHMS) {
  for (const software of [true, false]) {
    describe(`softmax/${algorithm.name}, planned for ${software ? 'a software adapter' : 'a large GPU'}`, () => {
      for (const { name, problem } of SOFTMAX_CASES) {
        it(name, async () => {
          const target = { ...(await testDevice()).capabilities, software };
          const { plan } = planSoftmax(problem, target, { mode: 'deterministic', algorithm: algorithm.name });
          const src = randomFill(problem.outer * problem.extent * problem.inner, 41, -4, 4);
          const tolerance = sumTolerance(softmaxSum(problem));
          const expected = referenceSoftmax(problem, src);
          expectWithin(await run(plan, src), expected, tolerance, problem.dims);
        });
      }
    });
  }
}

describe('softmax/large numbers', () => {
  for (const operation of ['softmax', 'log-softmax'] as const) {
    it(operation, async () => {
      const problem = makeSoftmaxProblem({ operation, dims: [2, 4], axis: 1, extends: 'along' });
      const { plan } = planSoftmax(problem, (await testDevice()).capabilities, { mode: 'deterministic' });
      const src = Float32Array.of(0, 1, 2, 3, 10000, 10001, 10002, 10003);
      const tolerance = sumTolerance(softmaxSum(problem));
      expectWithin(await run(plan, src), referenceSoftmax(problem, src), tolerance, [2, 4]);
    });
  }

  it('gives -Infinity no weight', async () => {
    const problem = makeSoftmaxProblem({ operation: 'softmax', dims: [3], axis: 0, extends: 'along' });
    const { plan } = planSoftmax(problem, (await testDevice()).capabilities, { mode: 'deterministic' });
    const src = Float32Array.of(Number.NEGATIVE_INFINITY, 5, 5);
    const tolerance = sumTolerance(softmaxSum(problem));
    expectWithin(await run(plan, src), [0, 0.5, 0.5], tolerance, [3]);
  });
});

describe('softmax/problem', () => {
  it('refuses an axis out of range', () => {
    const base = { operation: 'softmax', dims: [2, 3], extends: 'along' } as const;
    expect(() => makeSoftmaxProblem({ ...base, axis: 2 })).toThrow(GpuKernelShapeError);
    expect(() => makeSoftmaxProblem({ ...base, axis: -3 })).toThrow(/-2 to 1/);
  });
});
