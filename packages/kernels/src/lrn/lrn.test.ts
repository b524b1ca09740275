/** Local response normalisation on the GPU against float64, and the two layouts against each other. */
import { defaultCapabilities, GpuKernelShapeError } from '@onegpu/core';
import {
  expectExact,
  expectWithin,
  integerFill,
  randomFill,
  sumTolerance,
  testDevice,
} from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { runInLayout } from '../../test/run-in-layout.ts';
import { referenceLrn } from '../reference/lrn.ts';
import { lrnSum } from '../reference/sums.ts';
import { elementCount } from '../shared/layout.ts';
import { LRN_CASES } from './cases.ts';
import { type LrnProblem, makeLrnProblem } from './problem.ts';
import { LRN_ALGORITHMS, planLrn } from './select.ts';

async function run(problem: LrnProblem, algorithm: string, src: Float32Array): Promise<Float32Array> {
  const { layout, dims } = problem;
  const target = (await testDevice()).capabilities;
  const { plan } = planLrn(problem, target, { mode: 'deterministic', algorithm });
  return runInLayout(plan, { layout, inputs: { src: { data: src, dims } }, dstDims: dims });
}

for (const { name: algorithm } of LRN_ALGORITHMS) {
  describe(`lrn/${algorithm}`, () => {
    it.each(LRN_CASES)('$name', async ({ problem }) => {
      const length = elementCount(problem.dims);
      for (const src of [integerFill(length, 31), randomFill(length, 32, -3, 3)]) {
        const actual = await run(problem, algorithm, src);
        expectWithin(actual, referenceLrn(problem, src), sumTolerance(lrnSum(problem)), problem.dims);
      }
    });

    it.each([1, 3, 5, 600])('both layouts give the same bits, size %i', async (size) => {
      const request = { dims: [1, 277, 2, 3], size, alpha: 1 };
      const src = randomFill(277 * 6, 33);
      const planar = await run(makeLrnProblem(request), algorithm, src);
      expectExact(
        await run(makeLrnProblem({ ...request, layout: 'nhwc4' }), algorithm, src),
        planar,
        request.dims,
      );
    });
  });
}

describe('lrn/problem', () => {
  it('refuses a size of 0 and a vector', () => {
    expect(() => makeLrnProblem({ dims: [1, 2, 3], size: 0 })).toThrow(/LRN/);
    expect(() => makeLrnProblem({ dims: [3], size: 1 })).toThrow(GpuKernelShapeError);
  });

  it('compiles nothing for another picture size', () => {
    const wgsl = (width: number): string | undefined =>
      planLrn(makeLrnProblem({ dims: [1, 7, 5, width], size: 3, layout: 'nhwc4' }), defaultCapabilities(), {
        mode: 'fast',
      }).plan.passes[0]?.wgsl;
    expect(wgsl(7)).toBe(wgsl(11));
  });
});
