/**
 * Arithmetic on host tensors of every type: floating-point values as numbers, integers and booleans as bigints, so
 * that 64-bit values stay exact and every integer wraps as its type does.
 */

import { halfToNumber, numberToHalf } from '@onegpu/core';
import { type MoveProblem, viewIndices } from '@onegpu/kernels/core';
import { allocateData, Tensor, type TensorData, type TensorType } from '../tensor.ts';

const INTEGER_BITS: Partial<Readonly<Record<TensorType, number>>> = {
  int8: 8,
  uint8: 8,
  int16: 16,
  uint16: 16,
  int32: 32,
  uint32: 32,
  int64: 64,
  uint64: 64,
};

export function isFloatType(type: TensorType): boolean {
  return type === 'float32' || type === 'float64' || type === 'float16';
}

/** The elements as numbers; 64-bit integers beyond 2^53 are rounded. Strings give NaN. */
export function readNumbers({ type, data }: Tensor): readonly number[] {
  return Array.from(data as ArrayLike<number | bigint | string>, (value) =>
    type === 'float16' ? halfToNumber(Number(value)) : Number(value),
  );
}

/** The elements of an integer or boolean tensor. */
export function readIntegers({ data }: Tensor): readonly bigint[] {
  return Array.from(data as ArrayLike<number | bigint>, BigInt);
}

/** A tensor of a floating-point type, each value rounded to it. */
export function floatTensor(type: TensorType, values: readonly number[], dims: readonly number[]): Tensor {
  return new Tensor(type, type === 'float16' ? values.map(numberToHalf) : [...values], dims);
}

/** A tensor of an integer type, each value reduced to its bits; for bool, 0 or 1. */
export function integerTensor(type: TensorType, values: readonly bigint[], dims: readonly number[]): Tensor {
  const bits = INTEGER_BITS[type];
  if (bits === undefined)
    return new Tensor(
      type,
      values.map((value) => (value === 0n ? 0 : 1)),
      dims,
    );
  const wrap = type.startsWith('u') ? BigInt.asUintN : BigInt.asIntN;
  const wrapped = values.map((value) => wrap(bits, value));
  return new Tensor(type, bits === 64 ? wrapped : wrapped.map(Number), dims);
}

/** A bool tensor. */
export function booleanTensor(values: readonly boolean[], dims: readonly number[]): Tensor {
  return new Tensor('bool', values.map(Number), dims);
}

/** The elements a view takes from a tensor, with `fill` where it takes none; any type, bits untouched. */
export function takeView(tensor: Tensor, problem: MoveProblem, fill?: number | bigint): Tensor {
  const indices = viewIndices(problem);
  const data = allocateData(tensor.type, indices.length) as (number | bigint | string)[];
  const source = tensor.data as ArrayLike<number | bigint | string>;
  const blank = fill ?? (allocateData(tensor.type, 1) as ArrayLike<number | bigint | string>)[0] ?? 0;
  indices.forEach((index, position) => {
    data[position] = index < 0 ? blank : (source[index] ?? blank);
  });
  return new Tensor(tensor.type, data as unknown as TensorData as never, problem.dims);
}
