/**
 * QLinearConv: an integer convolution, then its sums to bytes. https://onnx.ai/onnx/operators/onnx__QLinearConv.html
 */
import type { DispatchPlan, GpuCapabilities } from '@onegpu/core';
import { CONV_INTEGER_ALGORITHMS, planConvInteger } from '../conv-integer/index.ts';
import type { ConvIntegerProblem } from '../conv-integer/problem.ts';
import type { KernelOptions, Selection } from '../shared/algorithm.ts';
import { concatPlans, renameOperands } from '../shared/compose-plan.ts';
import { elementCount, layoutElements } from '../shared/layout.ts';
import { misfit } from '../shared/misfit.ts';
import type { ByteType } from '../shared/quantized-type.ts';
import { planRequantize, type RequantizeProblem, SUMS } from './requantize.ts';

export interface QLinearConvProblem {
  readonly conv: ConvIntegerProblem;
  readonly dstType: ByteType;
  readonly weightsScale: 'one' | 'channel';
  readonly dstZeroPoint: boolean;
  readonly bias: boolean;
}

export interface QLinearConvRequest {
  readonly conv: ConvIntegerProblem;
  readonly dstType: ByteType;
  /** A scalar, [1] or [oc]. */
  readonly weightsScaleDims: readonly number[];
  readonly dstZeroPoint?: boolean;
  /** [oc] where there is one. */
  readonly biasDims?: readonly number[] | undefined;
}

/** @throws GpuKernelShapeError where scales or bias do not fit. */
export function makeQLinearConvProblem(request: QLinearConvRequest): QLinearConvProblem {
  const { conv, dstType, weightsScaleDims, dstZeroPoint = false, biasDims } = request;
  const { oc } = conv;
  const isChannels = (dims: readonly number[]): boolean => dims.length === 1 && dims[0] === oc;
  const one = weightsScaleDims.length <= 1 && elementCount(weightsScaleDims) === 1;
  if (!one && !isChannels(weightsScaleDims))
    throw misfit('QLinearConv', 'w_scale', weightsScaleDims, `a scalar or [${oc}]`);
  if (biasDims !== undefined && !isChannels(biasDims)) throw misfit('QLinearConv', 'B', biasDims, `[${oc}]`);
  return { conv, dstType, weightsScale: one ? 'one' : 'channel', dstZeroPoint, bias: biasDims !== undefined };
}

export const QLINEAR_CONV_ALGORITHMS = CONV_INTEGER_ALGORITHMS;

/**
 * Operands `src`, `weights`, `srcZeroPoint`, `weightsZeroPoint`, `srcScale`, `weightsScale`, `dstScale`,
 * `dstZeroPoint`, `bias` (int32) and `dst`; src and dst in the problem's layout.
 */
export function planQLinearConv(
  problem: QLinearConvProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): Selection {
  const { dstDims, layout } = problem.conv;
  const selection = planConvInteger(problem.conv, target, options);
  const label = selection.plan.label.replace('conv-integer', 'qlinear-conv');
  const requantize = planRequantize(qlinearConvRequantize(problem), label, target);
  const plan: DispatchPlan = {
    ...selection.plan,
    ...concatPlans([renameOperands(selection.plan, { dst: SUMS }), requantize]),
    operator: 'qlinear-conv',
    label,
  };
  const bytes = Math.max(4 * layoutElements(dstDims, layout), 16);
  return { ...selection, plan: { ...plan, scratch: [...plan.scratch, { operand: SUMS, bytes }] } };
}

/** The step from sums to bytes. */
export function qlinearConvRequantize(problem: QLinearConvProblem): RequantizeProblem {
  const { conv, dstType, weightsScale, dstZeroPoint, bias } = problem;
  const channels = [conv.oc, ...conv.dstDims.slice(2).map(() => 1)];
  return {
    dims: conv.dstDims,
    layout: conv.layout,
    type: dstType,
    operands: {
      srcScale: [],
      weightsScale: weightsScale === 'one' ? [] : channels,
      dstScale: [],
      dstZeroPoint: dstZeroPoint ? [] : undefined,
      bias: bias ? channels : undefined,
    },
  };
}
