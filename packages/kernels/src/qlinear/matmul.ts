/**
 * QLinearMatMul: an integer matrix product, then its sums to bytes.
 * https://onnx.ai/onnx/operators/onnx__QLinearMatMul.html
 */
import type { DispatchPlan, GpuCapabilities } from '@onegpu/core';
import { MATMUL_INTEGER_ALGORITHMS, planMatMulInteger } from '../matmul-integer/index.ts';
import { type MatMulIntegerProblem, perColumn, perRow } from '../matmul-integer/problem.ts';
import type { KernelOptions, Selection } from '../shared/algorithm.ts';
import { concatPlans, renameOperands } from '../shared/compose-plan.ts';
import { elementCount } from '../shared/layout.ts';
import type { ByteType } from '../shared/quantized-type.ts';
import { planRequantize, type RequantizeOperands, type RequantizeProblem, SUMS } from './requantize.ts';

export interface QLinearMatMulProblem {
  readonly product: MatMulIntegerProblem;
  readonly dstType: ByteType;
  readonly operands: RequantizeOperands;
}

export interface QLinearMatMulRequest {
  readonly product: MatMulIntegerProblem;
  readonly dstType: ByteType;
  /** A scalar, [m] or [..., m, 1]. */
  readonly srcScaleDims: readonly number[];
  /** A scalar, [n] or [..., 1, n]. */
  readonly weightsScaleDims: readonly number[];
  /** A scalar, [m] or [..., m, 1]. */
  readonly dstScaleDims: readonly number[];
  readonly dstZeroPointDims?: readonly number[] | undefined;
}

/** @throws GpuKernelShapeError where a scale or zero point does not fit. */
export function makeQLinearMatMulProblem(request: QLinearMatMulRequest): QLinearMatMulProblem {
  const { product, dstType } = request;
  const { fullDims } = product;
  const row = (field: string, dims: readonly number[] | undefined) =>
    perRow('QLinearMatMul', field, dims, fullDims);
  return {
    product,
    dstType,
    operands: {
      srcScale: row('a_scale', request.srcScaleDims) ?? [],
      weightsScale: perColumn('QLinearMatMul', 'b_scale', request.weightsScaleDims, fullDims) ?? [],
      dstScale: row('y_scale', request.dstScaleDims) ?? [],
      dstZeroPoint: row('y_zero_point', request.dstZeroPointDims),
      bias: undefined,
    },
  };
}

export const QLINEAR_MATMUL_ALGORITHMS = MATMUL_INTEGER_ALGORITHMS;

/**
 * Operands `src`, `weights`, `srcZeroPoint`, `weightsZeroPoint`, `srcScale`, `weightsScale`, `dstScale`,
 * `dstZeroPoint` and `dst`.
 */
export function planQLinearMatMul(
  problem: QLinearMatMulProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): Selection {
  const { product } = problem;
  const selection = planMatMulInteger(product, target, options);
  const label = selection.plan.label.replace('matmul-integer', 'qlinear-matmul');
  const requantize = planRequantize(qlinearMatMulRequantize(problem), label, target);
  const plan: DispatchPlan = {
    ...selection.plan,
    ...concatPlans([renameOperands(selection.plan, { dst: SUMS }), requantize]),
    operator: 'qlinear-matmul',
    label,
  };
  const bytes = Math.max(4 * elementCount(product.fullDims), 16);
  return { ...selection, plan: { ...plan, scratch: [...plan.scratch, { operand: SUMS, bytes }] } };
}

/** The step from sums to bytes. */
export function qlinearMatMulRequantize({
  product,
  dstType,
  operands,
}: QLinearMatMulProblem): RequantizeProblem {
  return { dims: product.fullDims, layout: 'nchw', type: dstType, operands };
}
