/** Batch, instance and layer normalisation on the GPU against float64. */
import { defaultCapabilities, GpuKernelShapeError } from '@onegpu/core';
import { expectEqual, expectWithin, randomFill, runPlan, sumTolerance, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { referenceBatchNorm, referenceRowNorm } from '../reference/normalization.ts';
import { batchNormSum, rowNormSum } from '../reference/sums.ts';
import { layoutElements, packNhwc4, unpackNhwc4 } from '../shared/layout.ts';
import { BATCH_NORM_CASES, ROW_NORM_CASES } from './cases.ts';
import { makeBatchNormProblem, makeLayerNormProblem } from './problem.ts';
import { BATCH_NORM_ALGORITHMS, planBatchNorm, planRowNorm, ROW_NORM_ALGORITHMS } from './select.ts';

for (const algorithm of BATCH_NORM_ALGORITHMS) {
  describe(`batch-norm/${algorithm.name}`, () => {
    for (const { name, problem } of BATCH_NORM_CASES) {
      it(name, async () => {
        const { dims, channels, layout } = problem;
        const operands = {
          src: randomFill(layoutElements(dims, 'nchw'), 51, -3, 3),
          scale: randomFill(channels, 52, 0.5, 2),
          bias: randomFill(channels, 53),
          mean: randomFill(channels, 54),
          variance: randomFill(channels, 55, 0.1, 2),
        };
        const target = (await testDevice()).capabilities;
        const { plan } = planBatchNorm(problem, target, { mode: 'deterministic', algorithm: algorithm.name });
        const src = layout === 'nhwc4' ? packNhwc4(operands.src, dims) : operands.src;
        const { dst } = await runPlan(await testDevice(), plan, {
          inputs: { ...operands, src },
          outputs: { dst: layoutElements(dims, layout) },
        });
        const actual = layout === 'nhwc4' ? unpackNhwc4(dst, dims) : dst;
        if (layout === 'nhwc4') expectEqual(dst, packNhwc4(actual, dims), [dst.length]);
        const tolerance = sumTolerance(batchNormSum());
        expectWithin(actual, referenceBatchNorm(problem, operands), tolerance, dims);
      });
    }
  });
}

for (const algorithm of ROW_NORM_ALGORITHMS) {
  for (const software of [true, false]) {
    describe(`${algorithm.name}, planned for ${software ? 'a software adapter' : 'a large GPU'}`, () => {
      for (const { name, problem } of ROW_NORM_CASES) {
        it(name, async () => {
          const operands = {
            src: randomFill(problem.rows * problem.extent, 61, -1, 3),
            scale: randomFill(problem.parameters, 62, 0.5, 2),
            bias: randomFill(problem.parameters, 63),
          };
          const target = { ...(await testDevice()).capabilities, software };
          const { plan } = planRowNorm(problem, target, { mode: 'deterministic', algorithm: algorithm.name });
          const { src, scale, bias } = operands;
          const { dst } = await runPlan(await testDevice(), plan, {
            inputs: problem.bias ? { src, scale, bias } : { src, scale },
            outputs: { dst: src.length },
          });
          const tolerance = sumTolerance(rowNormSum(problem));
          expectWithin(dst, referenceRowNorm(problem, operands), tolerance, problem.dims);
        });
      }
    });
  }
}

describe('layer-norm/statistics', () => {
  it('are results where they are asked for', async () => {
    const statistics = ['mean', 'inverse-deviation'] as const;
    const base = { dims: [3, 300], axis: 1, scaleElements: 300, bias: false, epsilon: 1e-5 };
    const problem = makeLayerNormProblem({ ...base, statistics });
    const { plan } = planRowNorm(problem, (await testDevice()).capabilities, { mode: 'deterministic' });
    const src = randomFill(900, 64, -1, 3);
    const results = await runPlan(await testDevice(), plan, {
      inputs: { src, scale: randomFill(300, 65) },
      outputs: { dst: 900, row_mean: 3, row_inverse_deviation: 3 },
    });
    const rows = [0, 1, 2].map((row) => Array.from(src.subarray(row * 300, (row + 1) * 300)));
    const mean = (values: readonly number[]): number =>
      values.reduce((sum, value) => sum + value, 0) / values.length;
    const means = rows.map(mean);
    const deviations = rows.map((values, row) =>
      Math.sqrt(mean(values.map((value) => (value - (means[row] ?? 0)) ** 2)) + 1e-5),
    );
    const tolerance = sumTolerance(rowNormSum(problem));
    expectWithin(results.row_mean, means, tolerance, [3]);
    const inverses = deviations.map((deviation) => 1 / deviation);
    expectWithin(results.row_inverse_deviation, inverses, tolerance, [3]);
  });
});

describe('normalization/problem', () => {
  it('refuses ranks and scales that do not fit', () => {
    expect(() => makeBatchNormProblem({ dims: [3], epsilon: 0 })).toThrow(GpuKernelShapeError);
    const base = { dims: [2, 3], bias: false, epsilon: 0 };
    expect(() => makeLayerNormProblem({ ...base, axis: 1, scaleElements: 1 })).toThrow(/broadcasting/);
    expect(() => makeLayerNormProblem({ ...base, axis: 2, scaleElements: 3 })).toThrow(/axis 2/);
  });

  it('compiles nothing for another picture size', () => {
    const wgsl = (height: number, width: number): string[] =>
      planBatchNorm(
        makeBatchNormProblem({ dims: [1, 7, height, width], epsilon: 1e-5, layout: 'nhwc4' }),
        defaultCapabilities(),
        { mode: 'fast' },
      ).plan.passes.map((pass) => pass.wgsl);
    expect(wgsl(28, 31)).toEqual(wgsl(37, 29));
  });
});
