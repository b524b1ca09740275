/**
 * Algorithm `packed-dot`: a product with one constant matrix is a pointwise convolution over the rows of src, which
 * lie channels last where k and n are whole words.
 */
import type { DispatchPlan, GpuCapabilities } from '@onegpu/core';
import { PACKED_DOT } from '../conv-integer/packed-dot.ts';
import { type ConvIntegerProblem, makeConvIntegerProblem } from '../conv-integer/problem.ts';
import type { Algorithm, KernelOptions } from '../shared/algorithm.ts';
import { elementCount } from '../shared/layout.ts';
import { matmulIntegerCost, matmulIntegerLabel } from './label.ts';
import type { MatMulIntegerProblem } from './problem.ts';

export const PACKED_DOT_MATMUL: Algorithm<MatMulIntegerProblem> = {
  name: 'packed-dot',
  impossible: ({ gemmK, gemmN, columnDims, srcZeroDims, weightsZeroDims, weightsConstant }) => {
    if (!weightsConstant) return 'the right matrix is not constant';
    if (elementCount(columnDims) !== gemmN) return 'more than one right matrix';
    if (gemmK % 4 !== 0 || gemmN % 4 !== 0) return 'rows are no whole words';
    if (elementCount(srcZeroDims ?? []) !== 1) return 'a zero point a row';
    return elementCount(weightsZeroDims ?? []) === 1 || weightsZeroDims?.at(-1) === gemmN
      ? undefined
      : 'the zero points of the right matrix are not one a column';
  },
  reject: () => undefined,
  plan: planPackedDot,
};

function planPackedDot(
  problem: MatMulIntegerProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): DispatchPlan {
  const label = matmulIntegerLabel(problem, PACKED_DOT_MATMUL.name);
  const plan = PACKED_DOT.plan(pointwise(problem), target, options);
  return {
    ...plan,
    operator: 'matmul-integer',
    label,
    passes: plan.passes.map((pass) => ({ ...pass, label })),
    cost: matmulIntegerCost(problem),
  };
}

function pointwise(problem: MatMulIntegerProblem): ConvIntegerProblem {
  const { gemmK, gemmN, fullDims, srcZeroDims, weightsZeroDims } = problem;
  const rows = elementCount(fullDims.slice(0, -1));
  const columns =
    weightsZeroDims === undefined ? undefined : elementCount(weightsZeroDims) === 1 ? [] : [gemmN];
  const conv = makeConvIntegerProblem({
    srcType: problem.srcType,
    weightsType: problem.weightsType,
    src: [1, gemmK, rows],
    weights: [gemmN, gemmK, 1],
    srcZeroPoint: srcZeroDims !== undefined,
    weightsZeroPointDims: columns,
    weightsConstant: true,
    layout: 'nhwc4',
  });
  return { ...conv, weightsTransposed: true };
}
