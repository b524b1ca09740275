/** Random matrix products against float64, every algorithm: small integers bit for bit, then random floats. */
import {
  expectEqual,
  expectWithin,
  integerFill,
  randomFill,
  runPlan,
  sumTolerance,
  testDevice,
} from '@onegpu/testing';
import fc from 'fast-check';
import { type GemmProblem, makeGemmProblem, makeMatMulProblem } from '../src/gemm/problem.ts';
import { GEMM_ALGORITHMS } from '../src/gemm/select.ts';
import { applyActivation } from '../src/reference/activation.ts';
import { gemmReference } from '../src/reference/gemm.ts';
import { gemmSum } from '../src/reference/sums.ts';
import type { Algorithm } from '../src/shared/algorithm.ts';
import { elementCount } from '../src/shared/layout.ts';
import { extent, MOST_OUTPUTS, terms } from './random-extents.ts';
import { describeSweep } from './sweep.ts';

const shared = {
  rows: extent,
  columns: extent,
  inner: terms,
  weightsConstant: fc.boolean(),
  residual: fc.boolean(),
  relu: fc.boolean(),
};

const gemms: fc.Arbitrary<GemmProblem> = fc
  .record({
    ...shared,
    transA: fc.boolean(),
    transB: fc.boolean(),
    alpha: fc.constantFrom(1, 0.5, -2),
    beta: fc.constantFrom(1, 0, 0.5),
    addend: fc.constantFrom('none', 'scalar', 'row', 'column', 'full'),
  })
  .map(({ rows, columns, inner, addend, relu, ...rest }) => {
    const biasDims = {
      none: undefined,
      scalar: [],
      row: [columns],
      column: [rows, 1],
      full: [rows, columns],
    }[addend];
    return makeGemmProblem({
      ...rest,
      srcDims: rest.transA ? [inner, rows] : [rows, inner],
      weightsDims: rest.transB ? [columns, inner] : [inner, columns],
      biasDims,
      activation: relu ? [{ kind: 'relu' }] : [],
    });
  });

const products: fc.Arbitrary<GemmProblem> = fc
  .record({
    ...shared,
    srcBatch: fc.constantFrom([], [2], [3, 1], [1, 2]),
    weightsBatch: fc.constantFrom([], [2], [1], [3, 2]),
    bias: fc.boolean(),
  })
  .map(({ rows, columns, inner, relu, srcBatch, weightsBatch, ...rest }) =>
    makeMatMulProblem({
      ...rest,
      srcDims: [...srcBatch, rows, inner],
      weightsDims: [...weightsBatch, inner, columns],
      activation: relu ? [{ kind: 'relu' }] : [],
    }),
  );

const problems = fc.oneof(gemms, products).filter(({ dstDims }) => elementCount(dstDims) <= MOST_OUTPUTS);

async function check(problem: GemmProblem, entry: Algorithm<GemmProblem>): Promise<void> {
  const device = await testDevice();
  const plan = entry.plan(problem, device.capabilities, { mode: 'deterministic' });
  const { gemmM, gemmN, gemmK, dstDims, srcMatrices, weightsCount, addend, residual } = problem;
  const addends = { none: 0, scalar: 1, row: gemmN, column: gemmM, full: gemmM * gemmN }[addend];
  const run = async (fill: (length: number, seed: number) => Float32Array) => {
    const inputs = {
      src: fill((1 + Math.max(0, ...srcMatrices)) * gemmM * gemmK, 1),
      weights: fill(weightsCount * gemmK * gemmN, 2),
      ...(addend === 'none' ? {} : { bias: fill(addends, 3) }),
      ...(residual ? { residual: fill(elementCount(dstDims), 4) } : {}),
    };
    const { dst } = await runPlan(device, plan, { inputs, outputs: { dst: elementCount(dstDims) } });
    const sums = gemmReference(problem, inputs);
    return { dst, expected: sums.map((sum) => applyActivation(problem.activation, sum)) };
  };
  const exact = await run((length, seed) => integerFill(length, seed, -4, 4));
  expectEqual(exact.dst, exact.expected, dstDims);
  const real = await run(randomFill);
  expectWithin(real.dst, real.expected, sumTolerance(gemmSum(problem)), dstDims);
}

describeSweep({ name: 'gemm', algorithms: GEMM_ALGORITHMS, problems, runs: 20, seed: 13, check });
