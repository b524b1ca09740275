/** Element-wise functions of two tensors with numpy broadcasting in float64, dense row-major data. */
import type { BinaryFunction } from '../binary/functions.wgsl.ts';

export interface ReferenceOperand {
  readonly data: ArrayLike<number>;
  readonly dims: readonly number[];
}

/** lhs and rhs broadcast against each other; `dims` is their common shape. */
export function binaryReference(
  name: BinaryFunction,
  lhs: ReferenceOperand,
  rhs: ReferenceOperand,
  dims: readonly number[],
): Float64Array {
  const count = dims.reduce((product, extent) => product * extent, 1);
  const dst = new Float64Array(count);
  for (let index = 0; index < count; index++) {
    dst[index] = applyBinary(name, elementAt(lhs, dims, index), elementAt(rhs, dims, index));
  }
  return dst;
}

/** One pair of numbers. */
export function applyBinary(name: BinaryFunction, x: number, y: number): number {
  switch (name) {
    case 'add':
      return x + y;
    case 'sub':
      return x - y;
    case 'mul':
      return x * y;
    case 'div':
      return x / y;
    case 'pow':
      return x === 1 ? 1 : x ** y;
    case 'min':
      return Math.min(x, y);
    case 'max':
      return Math.max(x, y);
    case 'prelu':
      return x < 0 ? y * x : x;
    case 'remainder':
      return x % y;
    case 'modulo': {
      const rest = x % y;
      return rest !== 0 && rest < 0 !== y < 0 ? rest + y : rest;
    }
  }
}

function elementAt(operand: ReferenceOperand, dims: readonly number[], index: number): number {
  let rest = index;
  let offset = 0;
  let stride = 1;
  for (let axis = dims.length - 1; axis >= 0; axis--) {
    const extent = dims[axis] ?? 1;
    const own = operand.dims[axis - dims.length + operand.dims.length] ?? 1;
    offset += own === 1 ? 0 : (rest % extent) * stride;
    stride *= own;
    rest = Math.floor(rest / extent);
  }
  return operand.data[offset] ?? Number.NaN;
}
