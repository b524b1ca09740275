/** One transposed convolution in one algorithm against float64, in the layout of its problem. */
import { testDevice } from '@onegpu/testing';
import type { ConvTransposeProblem } from '../src/conv-transpose/problem.ts';
import { applyActivation } from '../src/reference/activation.ts';
import { convTransposeReference } from '../src/reference/conv-transpose.ts';
import { convTransposeSum } from '../src/reference/sums.ts';
import type { Algorithm } from '../src/shared/algorithm.ts';
import { elementCount } from '../src/shared/layout.ts';
import { checkSums, type FloatStorage } from './check-sums.ts';
import { runInLayout } from './run-in-layout.ts';

export async function checkConvTranspose(
  problem: ConvTransposeProblem,
  entry: Algorithm<ConvTransposeProblem>,
  storage: FloatStorage,
): Promise<void> {
  const { capabilities } = await testDevice();
  const { batch, ic, oc, groups, vertical, horizontal, epilogue, layout } = problem;
  const plan = entry.plan(problem, capabilities, { mode: 'deterministic' });
  const srcDims = [batch, ic, vertical.input, horizontal.input];
  const dstDims = [batch, oc, vertical.output, horizontal.output];
  await checkSums({
    ...{ storage, dstDims, sum: convTransposeSum(problem) },
    operands: (fill) => ({
      src: fill(elementCount(srcDims), 1),
      weights: fill((ic * oc * vertical.kernel * horizontal.kernel) / groups, 2),
      bias: epilogue.bias ? fill(oc, 3) : undefined,
      residual: epilogue.residual ? fill(elementCount(dstDims), 4) : undefined,
    }),
    run: ({ src, weights, bias, residual }) =>
      runInLayout(plan, {
        ...{ layout, dstDims, half: storage === 'float16' },
        inputs: {
          src: { data: src, dims: srcDims },
          ...(residual === undefined ? {} : { residual: { data: residual, dims: dstDims } }),
        },
        parameters: { weights, ...(bias === undefined ? {} : { bias }) },
      }),
    reference: (operands) =>
      convTransposeReference(problem, operands).map((sum) => applyActivation(epilogue.activation, sum)),
  });
}
