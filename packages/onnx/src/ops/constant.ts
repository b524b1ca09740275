/**
 * Tensors made from constants: Constant (what the import left), ConstantOfShape and Range; and NonZero, whose
 * extents depend on values. They run on the host, while planning.
 * https://onnx.ai/onnx/operators/onnx__ConstantOfShape.html
 */
import { GpuKernelShapeError } from '@onegpu/core';
import type { NodeContext, OperatorDefinition, ValueInfo } from '../op-definition.ts';
import { allocateData, elementCount, Tensor, type TensorData, type TensorType } from '../tensor.ts';
import { integerInput, requireConstant, requireInput } from './host-input.ts';

export const CONSTANT_OPERATORS: readonly OperatorDefinition[] = [
  {
    opType: 'Constant',
    domain: '',
    opsets: [1, 28],
    arity: [0, 0],
    attributes: [],
    check: () => 'its attribute holds no dense tensor',
    infer: () => [],
  },
  {
    opType: 'ConstantOfShape',
    domain: '',
    opsets: [9, 28],
    arity: [1, 1],
    attributes: ['value'],
    check: (_, attributes) =>
      (attributes.tensor('value')?.size ?? 1) === 1
        ? undefined
        : 'the attribute "value" must hold one element',
    infer: (context) => [{ type: fillOf(context).type, dims: shapeInput(context) }],
    evaluate: (context) => [filledTensor(context)],
  },
  {
    opType: 'Range',
    domain: '',
    opsets: [11, 28],
    arity: [3, 3],
    attributes: [],
    infer: (context) => [{ type: requireInput(context, 0).type, dims: [rangeOf(context).length] }],
    evaluate: (context) => [rangeTensor(context)],
  },
  {
    opType: 'NonZero',
    domain: '',
    opsets: [9, 28],
    arity: [1, 1],
    attributes: [],
    infer: inferNonZero,
    evaluate: (context) => [nonZero(requireConstant(context, 0))],
  },
];

const ZERO = new Tensor('float32', [0]);

function fillOf(context: NodeContext): Tensor {
  return context.attributes.tensor('value') ?? ZERO;
}

function shapeInput(context: NodeContext): readonly number[] {
  const dims = integerInput(context, 0) ?? [];
  if (dims.every((extent) => extent >= 0)) return dims;
  throw new GpuKernelShapeError('extents must not be negative', {
    subject: 'ConstantOfShape',
    field: 'inputs[0]',
    got: `[${dims.join(', ')}]`,
  });
}

function filledTensor(context: NodeContext): Tensor {
  const fill = fillOf(context);
  const dims = shapeInput(context);
  const data = allocateData(fill.type, elementCount(dims));
  const value = fill.data[0];
  if (value !== undefined) (data as Fillable).fill(value);
  return new Tensor(fill.type, data, dims);
}

interface Fillable {
  fill(value: number | bigint | string): unknown;
}

interface RangeValues {
  readonly start: number | bigint;
  readonly delta: number | bigint;
  readonly length: number;
}

/** max(ceil((limit - start) / delta), 0) elements; in integers for integer types. */
function rangeOf(context: NodeContext): RangeValues {
  const { type } = requireInput(context, 0);
  const [start, limit, delta] = [0, 1, 2].map((index) => requireConstant(context, index).data[0]);
  if (typeof start === 'bigint' && typeof limit === 'bigint' && typeof delta === 'bigint' && delta !== 0n) {
    const span = limit - start;
    const rounded = (span + delta - (delta > 0n ? 1n : -1n)) / delta;
    return { start, delta, length: Number(rounded > 0n ? rounded : 0n) };
  }
  const numbers = typeof start === 'number' && typeof limit === 'number' && typeof delta === 'number';
  if (numbers && delta !== 0 && type !== 'float16') {
    return { start, delta, length: Math.max(Math.ceil((limit - start) / delta), 0) };
  }
  throw new GpuKernelShapeError('start, limit and delta must be numbers of one type, delta not 0', {
    subject: 'Range',
    field: 'inputs',
    got: `${start}, ${limit}, ${delta} of type ${type}`,
  });
}

function rangeTensor(context: NodeContext): Tensor {
  const { start, delta, length } = rangeOf(context);
  const { type } = requireInput(context, 0);
  const data = allocateData(type, length) as Exclude<TensorData, string[]>;
  for (let i = 0; i < length; i++) {
    data[i] = typeof start === 'bigint' ? start + BigInt(i) * BigInt(delta) : start + i * Number(delta);
  }
  return new Tensor<TensorType>(type, data, [length]);
}

/** The number of columns is the number of elements that are not zero: known only with the values. */
function inferNonZero(context: NodeContext): readonly ValueInfo[] {
  const constant = nonZero(requireConstant(context, 0));
  return [{ type: constant.type, dims: constant.dims, constant }];
}

/** [rank, count]: the coordinates of the elements that are not zero, one row an axis, in row-major order. */
function nonZero(tensor: Tensor): Tensor {
  const { data, dims } = tensor;
  const negativeZero = tensor.type === 'float16' ? 0x8000 : 0;
  const found: number[] = [];
  for (let i = 0; i < data.length; i++) {
    const value = data[i];
    if (value !== 0 && value !== negativeZero && value !== 0n && value !== '') found.push(i);
  }
  const rows = dims.map((extent, axis) => {
    const stride = elementCount(dims.slice(axis + 1));
    return found.map((index) => BigInt(Math.floor(index / stride) % extent));
  });
  return new Tensor('int64', rows.flat(), [dims.length, found.length]);
}
