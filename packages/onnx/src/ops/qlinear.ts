/**
 * QLinearConv and QLinearMatMul: integer products whose sums become bytes again.
 * https://onnx.ai/onnx/operators/onnx__QLinearConv.html, https://onnx.ai/onnx/operators/onnx__QLinearMatMul.html
 */
import {
  type Layout,
  makeQLinearConvProblem,
  makeQLinearMatMulProblem,
  planQLinearConv,
  planQLinearMatMul,
  type QLinearConvProblem,
  type QLinearMatMulProblem,
  qlinearConvRequantize,
  qlinearMatMulRequantize,
  type RequantizeProblem,
  referenceConvInteger,
  referenceMatMulInteger,
  referenceRequantize,
} from '@onegpu/kernels';
import { readNumbers } from '../host/numbers.ts';
import type { NodeContext, OperandSource, OperatorDefinition, ReferenceOutput } from '../op-definition.ts';
import { Tensor } from '../tensor.ts';
import { byteType, misfitInput, numbersOf, requireOne, zeroPointDims } from './byte-operands.ts';
import { requireFloat } from './gpu-operands.ts';
import { requireConstant, requireInput } from './host-input.ts';
import {
  type BytePositions,
  byteOperands,
  byteValues,
  convLayouts,
  convProblem,
  matmulProblem,
} from './integer.ts';
import { kernelOptions, loweringOf, srcLayout } from './kernel-lowering.ts';
import { exact } from './reference.ts';
import { CONV_ATTRIBUTES } from './window-attributes.ts';

const POSITIONS: BytePositions = { src: 0, srcZeroPoint: 2, weights: 3, weightsZeroPoint: 5 };
const SCALES = { srcScale: 1, weightsScale: 4, dstScale: 6, dstZeroPoint: 7, bias: 8 };

export const QLINEAR_OPERATORS: readonly OperatorDefinition[] = [
  {
    opType: 'QLinearConv',
    domain: '',
    opsets: [10, 28],
    arity: [8, 9],
    attributes: CONV_ATTRIBUTES,
    infer: (context) => {
      const { conv, dstType } = qlinearConv(context, 'nchw');
      return [{ type: dstType, dims: conv.dstDims }];
    },
    layouts: (context) => convLayouts(context, POSITIONS),
    lower: (context) => {
      const problem = qlinearConv(context, srcLayout(context));
      const selection = planQLinearConv(problem, context.capabilities, kernelOptions(context));
      return loweringOf(context, selection, operandsOf(context));
    },
  },
  {
    opType: 'QLinearMatMul',
    domain: '',
    opsets: [10, 28],
    arity: [8, 8],
    attributes: [],
    infer: (context) => {
      const { product, dstType } = qlinearMatMul(context);
      return [{ type: dstType, dims: product.dstDims }];
    },
    lower: (context) => {
      const selection = planQLinearMatMul(
        qlinearMatMul(context),
        context.capabilities,
        kernelOptions(context),
      );
      return loweringOf(context, selection, operandsOf(context));
    },
  },
];

function qlinearConv(context: NodeContext, layout: Layout): QLinearConvProblem {
  for (const scale of ['srcScale', 'weightsScale', 'dstScale'] as const) requireScale(context, SCALES[scale]);
  for (const one of [SCALES.srcScale, SCALES.dstScale, SCALES.dstZeroPoint]) requireOne(context, one);
  const bias = context.inputs[SCALES.bias];
  if (bias !== undefined && bias.type !== 'int32')
    throw misfitInput(context, SCALES.bias, bias.type, 'int32');
  return makeQLinearConvProblem({
    conv: convProblem(context, layout, POSITIONS),
    dstType: byteType(context, SCALES.dstZeroPoint),
    weightsScaleDims: requireInput(context, SCALES.weightsScale).dims,
    dstZeroPoint: true,
    biasDims: bias?.dims,
  });
}

function qlinearMatMul(context: NodeContext): QLinearMatMulProblem {
  for (const scale of ['srcScale', 'weightsScale', 'dstScale'] as const) requireScale(context, SCALES[scale]);
  const dstType = byteType(context, SCALES.dstZeroPoint);
  return makeQLinearMatMulProblem({
    product: matmulProblem(context, POSITIONS),
    dstType,
    srcScaleDims: requireInput(context, SCALES.srcScale).dims,
    weightsScaleDims: requireInput(context, SCALES.weightsScale).dims,
    dstScaleDims: requireInput(context, SCALES.dstScale).dims,
    dstZeroPointDims: zeroPointDims(context, SCALES.dstZeroPoint, dstType),
  });
}

/** The result's scale divides, so it may not be zero. */
function requireScale(context: NodeContext, index: number): void {
  const { constant } = requireFloat(context, index);
  if (index !== SCALES.dstScale || constant === undefined) return;
  if (readNumbers(constant).includes(0)) throw misfitInput(context, index, '0', 'a scale other than zero');
}

function operandsOf(context: NodeContext): Record<string, OperandSource> {
  const present = Object.entries(SCALES).filter(([, index]) => context.inputs[index] !== undefined);
  const scales = present.map(([operand, index]) => [operand, { input: index }]);
  return { ...byteOperands(context, POSITIONS), ...Object.fromEntries(scales) };
}

export function qlinearConvReference(context: NodeContext): readonly ReferenceOutput[] {
  const problem = qlinearConv(context, 'nchw');
  const sums = referenceConvInteger(problem.conv, byteValues(context, POSITIONS));
  return exact([requantized(context, qlinearConvRequantize(problem), sums, problem.conv.dstDims)]);
}

export function qlinearMatMulReference(context: NodeContext): readonly ReferenceOutput[] {
  const problem = qlinearMatMul(context);
  const sums = referenceMatMulInteger(problem.product, byteValues(context, POSITIONS));
  return exact([requantized(context, qlinearMatMulRequantize(problem), sums, problem.product.dstDims)]);
}

function requantized(
  context: NodeContext,
  problem: RequantizeProblem,
  sums: Int32Array,
  dims: readonly number[],
): Tensor {
  const scale = (index: number): readonly number[] => readNumbers(requireConstant(context, index));
  const values = referenceRequantize(problem, sums, {
    srcScale: scale(SCALES.srcScale),
    weightsScale: scale(SCALES.weightsScale),
    dstScale: scale(SCALES.dstScale),
    dstZeroPoint: numbersOf(context, SCALES.dstZeroPoint),
    bias: numbersOf(context, SCALES.bias),
  });
  return new Tensor(problem.type, [...values], dims);
}
