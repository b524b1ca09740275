/** Element-wise functions of two host tensors with numpy broadcasting. */
import { GpuKernelShapeError } from '@onegpu/core';
import { broadcastDims, makeExpandProblem } from '@onegpu/kernels/core';
import type { HostFunction } from '../ops/binary-functions.ts';
import type { Tensor } from '../tensor.ts';
import {
  booleanTensor,
  floatTensor,
  integerTensor,
  isFloatType,
  readIntegers,
  readNumbers,
  takeView,
} from './numbers.ts';

/** Both tensors repeated to their common shape. @throws GpuKernelShapeError where they do not fit. */
export function broadcastTensors(operator: string, tensors: readonly Tensor[]): readonly Tensor[] {
  const dims = broadcastDims(
    operator,
    tensors.map((tensor) => tensor.dims),
  );
  return tensors.map((tensor) => takeView(tensor, makeExpandProblem(tensor.dims, dims)));
}

/** The function of every pair of elements; the result has the type of `lhs`. */
export function combineTensors(operator: string, combine: HostFunction, lhs: Tensor, rhs: Tensor): Tensor {
  const [left, right] = broadcastTensors(operator, [lhs, rhs]) as [Tensor, Tensor];
  const { float, integer } = combine;
  if (isFloatType(lhs.type) && float !== undefined) {
    const others = readNumbers(right);
    const values = readNumbers(left).map((x, index) => float(x, others[index] ?? 0));
    return floatTensor(lhs.type, values, left.dims);
  }
  if (isFloatType(lhs.type) || lhs.type === 'string' || integer === undefined) {
    throw new GpuKernelShapeError('the operator has no meaning for this type', {
      subject: operator,
      field: 'inputs[0]',
      got: lhs.type,
    });
  }
  const others = isFloatType(rhs.type)
    ? readNumbers(right).map((y) => BigInt(Math.trunc(y)))
    : readIntegers(right);
  const values = readIntegers(left).map((x, index) => integer(x, others[index] ?? 0n));
  return integerTensor(lhs.type, values, left.dims);
}

/** A comparison of every pair of elements. */
export function compareTensors(
  operator: string,
  compare: <T extends number | bigint>(x: T, y: T) => boolean,
  lhs: Tensor,
  rhs: Tensor,
): Tensor {
  const [left, right] = broadcastTensors(operator, [lhs, rhs]) as [Tensor, Tensor];
  if (lhs.type === 'string') {
    const others = right.data as readonly string[];
    const equal = (left.data as readonly string[]).map((x, index) => x === others[index]);
    return booleanTensor(equal, left.dims);
  }
  const values = isFloatType(lhs.type)
    ? compareAll(compare, readNumbers(left), readNumbers(right))
    : compareAll(compare, readIntegers(left), readIntegers(right));
  return booleanTensor(values, left.dims);
}

function compareAll<T extends number | bigint>(
  compare: (x: T, y: T) => boolean,
  left: readonly T[],
  right: readonly T[],
): readonly boolean[] {
  return left.map((x, index) => compare(x, right[index] as T));
}
