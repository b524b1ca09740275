/** One convolution in one algorithm against float64, in the layout of its problem. */
import { testDevice } from '@onegpu/testing';
import { type ConvProblem, convTerms } from '../src/conv/problem.ts';
import { referenceConv } from '../src/reference/conv.ts';
import { convSum } from '../src/reference/sums.ts';
import type { Algorithm } from '../src/shared/algorithm.ts';
import { elementCount } from '../src/shared/layout.ts';
import { checkSums, type FloatStorage } from './check-sums.ts';
import { runInLayout } from './run-in-layout.ts';

export async function checkConv(
  problem: ConvProblem,
  entry: Algorithm<ConvProblem>,
  storage: FloatStorage,
): Promise<void> {
  const { capabilities } = await testDevice();
  const { batch, ic, ih, iw, oc, oh, ow, epilogue, layout } = problem;
  const plan = entry.plan(problem, capabilities, { mode: 'deterministic' });
  const [srcDims, dstDims] = [
    [batch, ic, ih, iw],
    [batch, oc, oh, ow],
  ];
  await checkSums({
    ...{ storage, dstDims, sum: { ...convSum(problem), ...entry.bound } },
    operands: (fill) => ({
      src: fill(elementCount(srcDims), 1),
      weights: fill(oc * convTerms(problem), 2),
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
    reference: (operands) => referenceConv(problem, operands),
  });
}
