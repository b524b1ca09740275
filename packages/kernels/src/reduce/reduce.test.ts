/** Reductions on the GPU against float64: exact on integers, within the derived tolerance on random floats. */
import { type DispatchPlan, defaultCapabilities, GpuKernelShapeError } from '@onegpu/core';
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
import { runInLayout } from '../../test/run-in-layout.ts';
import { referenceReduce } from '../reference/reduce.ts';
import { reduceSum } from '../reference/sums.ts';
import { layoutElements } from '../shared/layout.ts';
import { REDUCE_CASES } from './cases.ts';
import { makeReduceProblem, type ReduceOperation, type ReduceProblem } from './problem.ts';
import { planReduce, REDUCE_ALGORITHMS } from './select.ts';

function run(problem: ReduceProblem, plan: DispatchPlan, src: Float32Array): Promise<Float32Array> {
  const { layout, srcDims, dstDims } = problem;
  return runInLayout(plan, { layout, inputs: { src: { data: src, dims: srcDims } }, dstDims });
}

const isExact = (problem: ReduceProblem): boolean => (reduceSum(problem).activationUlp ?? 0) === 0;

const TARGET = defaultCapabilities({ software: false });

for (const algorithm of REDUCE_ALGORITHMS) {
  // A workgroup's fold is the same text for both.
  for (const software of algorithm.name === 'workgroup-fold' ? [false] : [true, false]) {
    describe(`reduce/${algorithm.name}, planned for ${software ? 'a software adapter' : 'a large GPU'}`, () => {
      for (const { name, problem } of REDUCE_CASES) {
        if (algorithm.impossible(problem, TARGET) !== undefined) continue;
        it(name, async () => {
          const target = { ...(await testDevice()).capabilities, software };
          const { plan } = planReduce(problem, target, { mode: 'deterministic', algorithm: algorithm.name });
          const length = layoutElements(problem.srcDims, 'nchw');
          const positive = problem.operation === 'log-sum';
          const integers = integerFill(length, 11, positive ? 1 : -3, 4);
          const expected = referenceReduce(problem, integers);
          const actual = await run(problem, plan, integers);
          const tolerance = sumTolerance(reduceSum(problem));
          if (isExact(problem)) {
            expectEqual(actual, Float32Array.from(expected), problem.dstDims);
          } else expectWithin(actual, expected, tolerance, problem.dstDims);
          const floats = randomFill(length, 12, positive ? 0.1 : -2, 3);
          expectWithin(
            await run(problem, plan, floats),
            referenceReduce(problem, floats),
            tolerance,
            problem.dstDims,
          );
        });
      }
    });
  }
}

describe('reduce/choice', () => {
  const chosen = (dims: readonly number[], software = false, axes = [2, 3]): string => {
    const request = { operation: 'mean', dims, axes, keepDims: true, layout: 'nhwc4' } as const;
    return planReduce(makeReduceProblem(request), { ...TARGET, software }, { mode: 'fast' }).algorithm;
  };

  it('is a workgroup for few results of many pixels on hardware', () => {
    expect(chosen([1, 2048, 7, 7])).toBe('workgroup-fold');
    expect(chosen([8, 960, 7, 7])).toBe('workgroup-fold');
    expect(chosen([1, 2048, 7, 7], true)).toBe('block-fold');
    expect(chosen([1, 2048, 5, 5])).toBe('block-fold');
    expect(chosen([1, 64, 65, 65])).toBe('block-fold');
    expect(chosen([64, 2048, 7, 7])).toBe('block-fold');
  });
});

describe('reduce/NaN and infinities', () => {
  const row = Float32Array.of(1, Number.NaN, -2, Number.POSITIVE_INFINITY);
  const cases: [ReduceOperation, Float32Array, number][] = [
    ['max', row, Number.NaN],
    ['min', row, Number.NaN],
    ['pool-max', row, Number.POSITIVE_INFINITY],
    ['pool-max', Float32Array.of(Number.NaN, Number.NaN), Number.NaN],
    ['max', Float32Array.of(Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY), Number.NEGATIVE_INFINITY],
    ['min', Float32Array.of(-1e-45, 0, 1), -1e-45],
    ['mean', Float32Array.of(1, Number.POSITIVE_INFINITY), Number.POSITIVE_INFINITY],
    [
      'log-sum-exp',
      Float32Array.of(Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY),
      Number.NEGATIVE_INFINITY,
    ],
    ['log-sum-exp', Float32Array.of(Number.NEGATIVE_INFINITY, 3), 3],
    ['log-sum', Float32Array.of(-1, 1), Number.NEGATIVE_INFINITY],
    ['log-sum-exp', Float32Array.of(1000, 1000), 1000 + Math.log(2)],
  ];
  for (const [operation, values, expected] of cases) {
    it(`${operation} of [${values.join(', ')}] is ${expected}`, async () => {
      const problem = makeReduceProblem({ operation, dims: [values.length], axes: [0], keepDims: true });
      const target = (await testDevice()).capabilities;
      const { plan } = planReduce(problem, target, { mode: 'deterministic' });
      expectEqual(await run(problem, plan, values), Float32Array.of(expected), [1]);
    });
  }
});

describe('reduce/norms', () => {
  const forms = [
    { operation: 'l2', power: 2 },
    { operation: 'lp', power: 3 },
    { operation: 'lp', power: 2.5 },
  ] as const;
  for (const form of forms) {
    for (const layout of ['nchw', 'nhwc4'] as const) {
      it(`${form.operation} of ${form.power} of huge and tiny numbers, ${layout}`, async () => {
        const dims = [1, 3, 521];
        const problem = makeReduceProblem({ ...form, dims, axes: [2], keepDims: true, layout });
        const target = (await testDevice()).capabilities;
        const { plan } = planReduce(problem, target, { mode: 'deterministic' });
        // A channel of each size; errors are those of each channel alone.
        const sizes = [1e30, 1, 1e-30];
        const src = randomFill(3 * 521, 14).map(
          (value, index) => value * (sizes[Math.floor(index / 521)] ?? 1),
        );
        const actual = await run(problem, plan, src);
        const expected = referenceReduce(problem, src);
        const scaled = (values: ArrayLike<number>) =>
          Float64Array.from(values, (value, at) => value / (sizes[at] ?? 1));
        const tolerance = sumTolerance(reduceSum(problem));
        expectWithin(Float32Array.from(scaled(actual)), scaled(expected), tolerance, [3]);
      });
    }
  }

  it('of infinities, NaN, zeros', async () => {
    const dims = [4, 3];
    const problem = makeReduceProblem({ operation: 'l2', dims, axes: [1], keepDims: true });
    const target = (await testDevice()).capabilities;
    const { plan } = planReduce(problem, target, { mode: 'deterministic' });
    const { NaN: nan, NEGATIVE_INFINITY: low, POSITIVE_INFINITY: high } = Number;
    const src = Float32Array.of(1, low, -2, 1, nan, high, 0, -0, 0, 3, -4, 0);
    expectEqual(await run(problem, plan, src), Float32Array.of(high, nan, 0, 5), [4, 1]);
  });
});

describe('reduce/determinism', () => {
  it('gives the same bits at another arena offset', async () => {
    const problem = makeReduceProblem({ operation: 'sum', dims: [3, 65537], axes: [1], keepDims: true });
    const target = { ...(await testDevice()).capabilities, software: false };
    const { plan } = planReduce(problem, target, { mode: 'deterministic' });
    const run = { inputs: { src: randomFill(3 * 65537, 13) }, outputs: { dst: 3 } };
    const first = await runPlan(await testDevice(), plan, run);
    const second = await runPlan(await testDevice(), plan, { ...run, arenaOffset: 768 });
    expectEqual(second.dst, first.dst, [3]);
  });
});

describe('reduce/problem', () => {
  it('refuses axes out of range, named twice, or not spatial in channels-last', () => {
    const base = { operation: 'sum', dims: [2, 3, 5, 7], keepDims: true } as const;
    expect(() => makeReduceProblem({ ...base, axes: [4] })).toThrow(GpuKernelShapeError);
    expect(() => makeReduceProblem({ ...base, axes: [1, -3] })).toThrow(/each axis once/);
    expect(() => makeReduceProblem({ ...base, axes: [1], layout: 'nhwc4' })).toThrow(/channels-last/);
  });

  it('compiles nothing for another picture size', () => {
    const wgsl = (height: number, width: number): string[] =>
      planReduce(
        makeReduceProblem({
          operation: 'mean',
          dims: [1, 7, height, width],
          axes: [2, 3],
          keepDims: true,
          layout: 'nhwc4',
        }),
        defaultCapabilities(),
        { mode: 'fast' },
      ).plan.passes.map((pass) => pass.wgsl);
    expect(wgsl(28, 31)).toEqual(wgsl(37, 29));
  });

  it('folds grids over the limit of one dimension', () => {
    const target = defaultCapabilities({
      limits: { ...defaultCapabilities().limits, maxComputeWorkgroupsPerDimension: 7 },
    });
    const problem = makeReduceProblem({ operation: 'sum', dims: [1000, 3], axes: [1], keepDims: true });
    expect(planReduce(problem, target, { mode: 'fast' }).plan.passes[0]?.workgroups).toEqual([6, 3, 1]);
  });
});
