/** Pooling on the GPU against float64: maxima bit for bit, averages exact on integers. */
import { type DispatchPlan, defaultCapabilities, GpuKernelShapeError } from '@onegpu/core';
import {
  expectEqual,
  expectExact,
  expectWithin,
  integerFill,
  randomFill,
  sumTolerance,
  testDevice,
} from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { runInLayout } from '../../test/run-in-layout.ts';
import { referencePool } from '../reference/pool.ts';
import { poolSum } from '../reference/sums.ts';
import { layoutElements } from '../shared/layout.ts';
import { POOL_CASES } from './cases.ts';
import { makeGlobalPoolProblem, makePoolProblem, type PoolProblem } from './problem.ts';
import { POOL_ALGORITHMS, planPool } from './select.ts';

function run(problem: PoolProblem, plan: DispatchPlan, src: Float32Array): Promise<Float32Array> {
  const { layout, srcDims, dstDims } = problem;
  return runInLayout(plan, { layout, inputs: { src: { data: src, dims: srcDims } }, dstDims });
}

for (const algorithm of POOL_ALGORITHMS) {
  describe(`pool/${algorithm.name}`, () => {
    for (const { name, problem } of POOL_CASES) {
      if (algorithm.impossible(problem, defaultCapabilities()) !== undefined) continue;
      it(name, async () => {
        const target = (await testDevice()).capabilities;
        const { plan } = planPool(problem, target, { mode: 'deterministic', algorithm: algorithm.name });
        const length = layoutElements(problem.srcDims, 'nchw');
        const integers = integerFill(length, 21);
        const tolerance = sumTolerance(poolSum(problem));
        const ofIntegers = await run(problem, plan, integers);
        const exact = Float32Array.from(referencePool(problem, integers));
        if (problem.operation === 'lp') expectWithin(ofIntegers, exact, tolerance, problem.dstDims);
        else expectEqual(ofIntegers, exact, problem.dstDims);
        const floats = randomFill(length, 22, -3, -1);
        const expected = referencePool(problem, floats);
        const actual = await run(problem, plan, floats);
        if (problem.operation === 'max') expectExact(actual, expected, problem.dstDims);
        else expectWithin(actual, expected, tolerance, problem.dstDims);
      });
    }
  });
}

describe('max-pool/special values', () => {
  const { NaN: nan, NEGATIVE_INFINITY: low, POSITIVE_INFINITY: high } = Number;
  const rows: [string, number[], number][] = [
    ['NaN is skipped', [nan, -3, nan], -3],
    ['NaN alone stays NaN', [nan, nan, nan], nan],
    ['-Infinity wins over NaN', [low, nan, nan], low],
    ['Infinity', [1, high, nan], high],
    ['denormals keep their bits', [-1e-45, -3e-45, -1], -1e-45],
    ['0 is above -0', [-0, 0, -0], 0],
    ['-0 stays -0', [-0, -0, -1], -0],
  ];
  for (const layout of ['nchw', 'nhwc4'] as const) {
    for (const [name, values, expected] of rows) {
      it(`${name}, ${layout}`, async () => {
        const problem = makePoolProblem({ operation: 'max', layout, dims: [1, 1, 3], kernel: [3] });
        const target = (await testDevice()).capabilities;
        const { plan } = planPool(problem, target, { mode: 'deterministic', algorithm: 'direct' });
        expectExact(await run(problem, plan, Float32Array.from(values)), Float32Array.of(expected), [1]);
      });
    }
  }
});

describe('pool/problem', () => {
  it('refuses four spatial axes, a global pool without any, averaged bytes and a power of 0', () => {
    const four = { operation: 'max', dims: [1, 2, 3, 4, 5, 6], kernel: [1, 1, 1, 1] } as const;
    expect(() => makePoolProblem(four)).toThrow(GpuKernelShapeError);
    const bytes = { operation: 'average', dims: [1, 2, 3], kernel: [1], element: 'uint8' } as const;
    expect(() => makePoolProblem(bytes)).toThrow(/uint8/);
    expect(() =>
      makePoolProblem({ operation: 'max', dims: [1, 2, 3], kernel: [1], strides: [2 ** 33] }),
    ).toThrow(/2\^31/);
    expect(() => makePoolProblem({ operation: 'lp', dims: [1, 2, 3], kernel: [1], power: 0 })).toThrow(
      /above 0/,
    );
    expect(() => makeGlobalPoolProblem({ operation: 'average', dims: [3, 5] })).toThrow(/spatial axis/);
  });

  it('compiles nothing for another picture size or other pads', () => {
    const wgsl = (height: number, width: number): string[] =>
      planPool(
        makePoolProblem({
          operation: 'average',
          dims: [1, 7, height, width],
          kernel: [3, 3],
          strides: [2, 2],
          autoPad: 'SAME_UPPER',
          layout: 'nhwc4',
        }),
        defaultCapabilities(),
        { mode: 'fast' },
      ).plan.passes.map((pass) => pass.wgsl);
    expect(wgsl(28, 31)).toEqual(wgsl(37, 29));
  });

  it('gives the reasons of refused algorithms', () => {
    const problem = makePoolProblem({ operation: 'max', dims: [1, 2, 5, 5], kernel: [3, 3] });
    const { algorithm, refused } = planPool(problem, defaultCapabilities(), { mode: 'fast' });
    expect(algorithm).toBe('direct');
    expect(refused.map((entry) => entry.algorithm)).toEqual(['whole-map']);
    expect(planPool(problem, defaultCapabilities(), { mode: 'fast' }).plan.label).toBe(
      'max-pool/direct/f32/3x3s1x1/nchw',
    );
  });
});
