/**
 * Cast and CastLike among numbers and bool, on the host. On the GPU only a cast to the tensor's own type is there:
 * it is the tensor itself. https://onnx.ai/onnx/operators/onnx__Cast.html
 */
import { GpuKernelShapeError } from '@onegpu/core';
import {
  booleanTensor,
  floatTensor,
  integerTensor,
  isFloatType,
  readIntegers,
  readNumbers,
} from '../host/numbers.ts';
import { NotBuiltError } from '../not-built.ts';
import type { LowerContext, Lowering, NodeContext, OperatorDefinition, ValueInfo } from '../op-definition.ts';
import { dataTypeName, elementType } from '../proto/element-type.ts';
import type { Tensor, TensorType } from '../tensor.ts';
import { requireConstant, requireInput } from './host-input.ts';
import { exactly } from './reference.ts';

export const CAST_OPERATORS: readonly OperatorDefinition[] = [
  {
    opType: 'Cast',
    domain: '',
    opsets: [6, 28],
    arity: [1, 1],
    attributes: ['to', 'saturate', 'round_mode'],
    check: (_, attributes) => {
      const to = attributes.int('to', 0);
      const type = elementType(to);
      return type === undefined || type === 'string'
        ? `a cast to ${dataTypeName(to)} is not supported`
        : undefined;
    },
    infer: (context) => [{ type: targetOf(context), dims: requireInput(context, 0).dims }],
    evaluate: (context) => [castTensor(requireConstant(context, 0), targetOf(context))],
    reference: exactly((context) => [castTensor(requireConstant(context, 0), targetOf(context))]),
    lower: (context) => lower(context, targetOf(context)),
  },
  {
    opType: 'CastLike',
    domain: '',
    opsets: [15, 28],
    arity: [2, 2],
    attributes: ['saturate', 'round_mode'],
    infer: (context) => [inferCastLike(context)],
    evaluate: (context) => [castTensor(requireConstant(context, 0), requireInput(context, 1).type)],
    reference: exactly((context) => [castTensor(requireConstant(context, 0), requireInput(context, 1).type)]),
    lower: (context) => lower(context, requireInput(context, 1).type),
  },
];

/** Of the second input only the type matters: the result is known when the first one is. */
function inferCastLike(context: NodeContext): ValueInfo {
  const { dims, constant } = requireInput(context, 0);
  const { type } = requireInput(context, 1);
  return constant === undefined ? { type, dims } : { type, dims, constant: castTensor(constant, type) };
}

function targetOf(context: NodeContext): TensorType {
  return elementType(context.attributes.int('to', 0)) ?? 'float32';
}

function lower(context: LowerContext, type: TensorType): Lowering {
  const input = requireInput(context, 0);
  if (input.type === type && context.activation.length === 0) return { kind: 'alias', input: 0 };
  throw new NotBuiltError('this cast is not built for the GPU', {
    subject: context.node.opType,
    field: 'to',
    got: `${input.type} to ${type}`,
    expected: 'values known on the host',
  });
}

/** Floats become integers by cutting off the fraction, wrapped to the type; NaN and infinities become zero. */
export function castTensor(tensor: Tensor, type: TensorType): Tensor {
  if (tensor.type === type) return tensor;
  if (tensor.type === 'string' || type === 'string') {
    throw new GpuKernelShapeError('strings cannot be cast', {
      subject: 'Cast',
      got: tensor.type,
      expected: type,
    });
  }
  if (isFloatType(type)) return floatTensor(type, readNumbers(tensor), tensor.dims);
  if (!isFloatType(tensor.type)) return integerTensor(type, readIntegers(tensor), tensor.dims);
  const values = readNumbers(tensor);
  if (type === 'bool')
    return booleanTensor(
      values.map((value) => value !== 0),
      tensor.dims,
    );
  const whole = values.map((value) => (Number.isFinite(value) ? BigInt(Math.trunc(value)) : 0n));
  return integerTensor(type, whole, tensor.dims);
}
