/**
 * ConvInteger and MatMulInteger: sums of products of bytes as int32, exact, wrapping around. Convolutions run
 * channels last where the weights are constant.
 * https://onnx.ai/onnx/operators/onnx__ConvInteger.html, https://onnx.ai/onnx/operators/onnx__MatMulInteger.html
 */
import {
  type ConvIntegerProblem,
  convIntegerLayout,
  type Layout,
  type MatMulIntegerProblem,
  makeConvIntegerProblem,
  makeMatMulIntegerProblem,
  planConvInteger,
  planMatMulInteger,
  referenceConvInteger,
  referenceMatMulInteger,
} from '@onegpu/kernels';
import type {
  LayoutChoice,
  NodeContext,
  OperandSource,
  OperatorDefinition,
  ReferenceOutput,
} from '../op-definition.ts';
import { Tensor } from '../tensor.ts';
import { byteType, misfitInput, numbersOf, requireOne, zeroPointDims } from './byte-operands.ts';
import { requireInput } from './host-input.ts';
import { kernelOptions, loweringOf, srcLayout } from './kernel-lowering.ts';
import { exact } from './reference.ts';
import { CONV_ATTRIBUTES, readWindow } from './window-attributes.ts';

/** Positions of the operands of a product of bytes among a node's inputs. */
export interface BytePositions {
  readonly src: number;
  readonly srcZeroPoint: number;
  readonly weights: number;
  readonly weightsZeroPoint: number;
}

const INTEGER_POSITIONS: BytePositions = { src: 0, weights: 1, srcZeroPoint: 2, weightsZeroPoint: 3 };

export const INTEGER_OPERATORS: readonly OperatorDefinition[] = [
  {
    opType: 'ConvInteger',
    domain: '',
    opsets: [10, 28],
    arity: [2, 4],
    attributes: CONV_ATTRIBUTES,
    infer: (context) => [{ type: 'int32', dims: convProblem(context, 'nchw', INTEGER_POSITIONS).dstDims }],
    layouts: (context) => convLayouts(context, INTEGER_POSITIONS),
    lower: (context) => {
      const problem = convProblem(context, srcLayout(context), INTEGER_POSITIONS);
      const selection = planConvInteger(problem, context.capabilities, kernelOptions(context));
      return loweringOf(context, selection, byteOperands(context, INTEGER_POSITIONS));
    },
  },
  {
    opType: 'MatMulInteger',
    domain: '',
    opsets: [10, 28],
    arity: [2, 4],
    attributes: [],
    infer: (context) => [{ type: 'int32', dims: matmulProblem(context, INTEGER_POSITIONS).dstDims }],
    lower: (context) => {
      const problem = matmulProblem(context, INTEGER_POSITIONS);
      const selection = planMatMulInteger(problem, context.capabilities, kernelOptions(context));
      return loweringOf(context, selection, byteOperands(context, INTEGER_POSITIONS));
    },
  },
];

export function convIntegerReference(context: NodeContext): readonly ReferenceOutput[] {
  const problem = convProblem(context, 'nchw', INTEGER_POSITIONS);
  const sums = referenceConvInteger(problem, byteValues(context, INTEGER_POSITIONS));
  return exact([new Tensor('int32', sums, problem.dstDims)]);
}

export function matmulIntegerReference(context: NodeContext): readonly ReferenceOutput[] {
  const problem = matmulProblem(context, INTEGER_POSITIONS);
  const sums = referenceMatMulInteger(problem, byteValues(context, INTEGER_POSITIONS));
  return exact([new Tensor('int32', sums, problem.dstDims)]);
}

export function convProblem(context: NodeContext, layout: Layout, at: BytePositions): ConvIntegerProblem {
  const { attributes, node } = context;
  const weights = requireInput(context, at.weights);
  const [srcType, weightsType] = [byteType(context, at.src), byteType(context, at.weights)];
  const kernel = attributes.ints('kernel_shape');
  if (kernel !== undefined && kernel.join() !== weights.dims.slice(2).join()) {
    throw misfitInput(
      context,
      at.weights,
      `[${weights.dims.join(', ')}]`,
      `a kernel of [${kernel.join(', ')}]`,
    );
  }
  requireOne(context, at.srcZeroPoint);
  return makeConvIntegerProblem({
    operator: node.opType,
    srcType,
    weightsType,
    src: requireInput(context, at.src).dims,
    weights: weights.dims,
    groups: attributes.int('group', 1),
    ...readWindow(attributes),
    srcZeroPoint: zeroPointDims(context, at.srcZeroPoint, srcType) !== undefined,
    weightsZeroPointDims: zeroPointDims(context, at.weightsZeroPoint, weightsType),
    weightsConstant: weights.constant !== undefined,
    layout,
  });
}

export function convLayouts(context: NodeContext, at: BytePositions): LayoutChoice {
  const layout = convIntegerLayout(convProblem(context, 'nchw', at));
  return {
    inputs: context.inputs.map((_, index) => (index === at.src ? layout : 'nchw')),
    outputs: [layout],
  };
}

export function matmulProblem(context: NodeContext, at: BytePositions): MatMulIntegerProblem {
  const [srcType, weightsType] = [byteType(context, at.src), byteType(context, at.weights)];
  const weights = requireInput(context, at.weights);
  return makeMatMulIntegerProblem({
    operator: context.node.opType,
    srcType,
    weightsType,
    src: requireInput(context, at.src).dims,
    weights: weights.dims,
    srcZeroPointDims: zeroPointDims(context, at.srcZeroPoint, srcType),
    weightsZeroPointDims: zeroPointDims(context, at.weightsZeroPoint, weightsType),
    weightsConstant: weights.constant !== undefined,
  });
}

export function byteOperands(context: NodeContext, at: BytePositions): Record<string, OperandSource> {
  const present = Object.entries(at).filter(([, index]) => context.inputs[index] !== undefined);
  return Object.fromEntries(present.map(([operand, index]) => [operand, { input: index }]));
}

export function byteValues(
  context: NodeContext,
  at: BytePositions,
): Parameters<typeof referenceConvInteger>[1] {
  return {
    src: numbersOf(context, at.src) ?? [],
    weights: numbersOf(context, at.weights) ?? [],
    srcZeroPoint: numbersOf(context, at.srcZeroPoint),
    weightsZeroPoint: numbersOf(context, at.weightsZeroPoint),
  };
}
