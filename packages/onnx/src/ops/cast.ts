/**
 * Cast and CastLike among numbers and bool. A cast to the tensor's own type is the tensor itself; float32 and
 * float16 become each other in either layout. https://onnx.ai/onnx/operators/onnx__Cast.html
 */
import { GpuKernelShapeError } from '@onegpu/core';
import { type Layout, makeUnaryProblem, selectUnary } from '@onegpu/kernels/core';
import {
  booleanTensor,
  floatTensor,
  integerTensor,
  isFloatType,
  readIntegers,
  readNumbers,
} from '../host/numbers.ts';
import { notBuilt } from '../not-built.ts';
import type {
  LayoutChoice,
  LowerContext,
  Lowering,
  NodeContext,
  OperatorDefinition,
  ValueInfo,
} from '../op-definition.ts';
import { dataTypeName, elementType } from '../proto/element-type.ts';
import type { Tensor, TensorType } from '../tensor.ts';
import { dispatchOf } from './gpu-operands.ts';
import { requireConstant, requireInput } from './host-input.ts';
import { kernelOptions } from './kernel-lowering.ts';
import { lowerMap, mapElement } from './map-lowering.ts';

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
    layouts: (context, available) => layouts(context, targetOf(context), available),
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
    layouts: (context, available) => layouts(context, requireInput(context, 1).type, available),
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
  if (input.type === type) return { kind: 'alias', input: 0 };
  if (isHalfOrFloat(input.type) && isHalfOrFloat(type)) return lowerFloats(context);
  const [element, to] = [mapElement(input.type), mapElement(type)];
  if (element !== undefined && to !== undefined) {
    return lowerMap(context, { function: 'convert', element, to, inputs: [0] });
  }
  throw notBuilt(context.node.opType, 'to', `${input.type} to ${type}`, 'values known on the host');
}

/** Numbers that one more rounding, to float32, takes to the nearest; exact where float64 holds them. */
function readRoundable(tensor: Tensor): readonly number[] {
  if (tensor.type !== 'int64' && tensor.type !== 'uint64') return readNumbers(tensor);
  return readIntegers(tensor).map((value) => Number(value < 0n ? -stickyBits(-value) : stickyBits(value)));
}

/** A magnitude whose lowest 11 bits are folded into the next where it has more than float64 holds. */
function stickyBits(value: bigint): bigint {
  if (value < 1n << 53n) return value;
  const low = value & 0x7ffn;
  return low === 0n ? value : (value - low) | 0x800n;
}

/** Copies numbers; the storage of the operands rounds. */
function lowerFloats(context: LowerContext): Lowering {
  const { dims } = requireInput(context, 0);
  const layout = context.layouts.inputs[0] ?? 'nchw';
  const problem = makeUnaryProblem({ dims, layout, activation: [] });
  const selection = selectUnary(problem, context.capabilities, kernelOptions(context));
  return dispatchOf(selection, { src: { input: 0 }, dst: { output: 0 } });
}

function layouts(context: NodeContext, type: TensorType, available: readonly Layout[]): LayoutChoice {
  const from = requireInput(context, 0).type;
  const follows = from !== type && isHalfOrFloat(from) && isHalfOrFloat(type);
  const layout = follows ? (available[0] ?? 'nchw') : 'nchw';
  return { inputs: available.map((_, index) => (index === 0 ? layout : 'nchw')), outputs: [layout] };
}

function isHalfOrFloat(type: TensorType): boolean {
  return type === 'float32' || type === 'float16';
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
  if (isFloatType(type)) return floatTensor(type, readRoundable(tensor), tensor.dims);
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
