/** One matrix product in one algorithm against float64. */
import { runPlan, testDevice } from '@onegpu/testing';
import type { GemmProblem } from '../src/gemm/problem.ts';
import { applyActivation } from '../src/reference/activation.ts';
import { gemmReference } from '../src/reference/gemm.ts';
import { gemmSum } from '../src/reference/sums.ts';
import type { Algorithm } from '../src/shared/algorithm.ts';
import { elementCount } from '../src/shared/layout.ts';
import { checkSums, type FloatStorage } from './check-sums.ts';

export async function checkGemm(
  problem: GemmProblem,
  entry: Algorithm<GemmProblem>,
  storage: FloatStorage,
): Promise<void> {
  const device = await testDevice();
  const plan = entry.plan(problem, device.capabilities, { mode: 'deterministic' });
  const { gemmM, gemmN, gemmK, dstDims, srcMatrices, weightsCount, addend, residual } = problem;
  const addends = { none: 0, scalar: 1, row: gemmN, column: gemmM, full: gemmM * gemmN }[addend];
  const length = elementCount(dstDims);
  await checkSums({
    ...{ storage, dstDims, sum: gemmSum(problem) },
    operands: (fill) => ({
      src: fill((1 + Math.max(0, ...srcMatrices)) * gemmM * gemmK, 1),
      weights: fill(weightsCount * gemmK * gemmN, 2),
      ...(addend === 'none' ? {} : { bias: fill(addends, 3) }),
      ...(residual ? { residual: fill(length, 4) } : {}),
    }),
    run: async (inputs) => {
      const half = storage === 'float16';
      const { dst } = await runPlan(device, plan, { inputs, outputs: { dst: length }, half });
      return dst;
    },
    reference: (operands) =>
      gemmReference(problem, operands).map((sum) => applyActivation(problem.activation, sum)),
  });
}
