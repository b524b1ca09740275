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
  const left = elementsOf(lhs, dims);
  const right = elementsOf(rhs, dims);
  return left.map((x, index) => applyBinary(name, x, right[index] ?? Number.NaN));
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

/** The operand repeated to `dims`, by the coordinates of every element. */
function elementsOf(operand: ReferenceOperand, dims: readonly number[]): Float64Array {
  const count = dims.reduce((product, extent) => product * extent, 1);
  if (operand.dims.join() === dims.join()) return new Float64Array(operand.data);
  const steps = dims.map((_, axis) => stepOf(operand.dims, axis - dims.length + operand.dims.length));
  const elements = new Float64Array(count);
  for (let index = 0; index < count; index++) {
    let rest = index;
    let offset = 0;
    for (let axis = dims.length - 1; axis >= 0; axis--) {
      const extent = dims[axis] ?? 1;
      offset += (rest % extent) * (steps[axis] ?? 0);
      rest = Math.floor(rest / extent);
    }
    elements[index] = operand.data[offset] ?? Number.NaN;
  }
  return elements;
}

/** Elements from one coordinate of an axis to the next; 0 where the operand lacks the axis or repeats along it. */
function stepOf(dims: readonly number[], axis: number): number {
  if (axis < 0 || dims[axis] === 1) return 0;
  return dims.slice(axis + 1).reduce((product, extent) => product * extent, 1);
}
