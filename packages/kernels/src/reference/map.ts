/** Typed element-wise functions, one element at a time: integers and bools as bigints, floats as numbers. */
import type { MapElement } from '../map/element.ts';
import type { MapFunction } from '../map/functions.wgsl.ts';

type Value = number | bigint;

export interface MapReferenceOperand {
  readonly data: ArrayLike<Value>;
  readonly dims: readonly number[];
}

/** The operands broadcast against each other; `dims` is their common shape, `to` the class of the result. */
export function mapReference(
  name: MapFunction,
  to: MapElement,
  operands: readonly MapReferenceOperand[],
  dims: readonly number[],
): readonly Value[] {
  const count = dims.reduce((product, extent) => product * extent, 1);
  return Array.from({ length: count }, (_, index) => {
    const values = operands.map((operand) => elementAt(operand, dims, index));
    return wrapTo(to, apply(name, values));
  });
}

function elementAt({ data, dims: own }: MapReferenceOperand, dims: readonly number[], index: number): Value {
  let rest = index;
  let offset = 0;
  let stride = 1;
  for (let axis = dims.length - 1; axis >= 0; axis--) {
    const extent = own[axis - dims.length + own.length] ?? 1;
    if (extent !== 1) offset += (rest % extent) * stride;
    stride *= extent;
    rest = Math.floor(rest / (dims[axis] ?? 1));
  }
  return data[offset] ?? 0n;
}

/** As the class holds it; whatever is not zero is true, also NaN. */
function wrapTo(to: MapElement, value: Value | boolean): Value {
  if (to === 'bool') return typeof value === 'boolean' ? BigInt(value) : Number(value) === 0 ? 0n : 1n;
  if (to === 'f32') return typeof value === 'bigint' ? nearestFloat(value) : Number(value);
  const bits = to.endsWith('64') ? 64 : 32;
  const whole = typeof value === 'bigint' ? value : wholeOf(Number(value));
  return to.startsWith('i') ? BigInt.asIntN(bits, whole) : BigInt.asUintN(bits, whole);
}

function wholeOf(value: number): bigint {
  return Number.isFinite(value) ? BigInt(Math.trunc(value)) : 0n;
}

/** One rounding, not two by way of float64: the candidates around it are compared exactly. */
function nearestFloat(value: bigint): number {
  const guess = Math.fround(Number(value));
  const words = new DataView(new ArrayBuffer(4));
  words.setFloat32(0, guess);
  const around = [-1, 0, 1].map((step) => {
    const view = new DataView(new ArrayBuffer(4));
    view.setUint32(0, (words.getUint32(0) + step) >>> 0);
    return { float: view.getFloat32(0), even: view.getUint32(0) % 2 === 0 };
  });
  const distance = (float: number): bigint => {
    const difference = BigInt(float) - value;
    return difference < 0n ? -difference : difference;
  };
  const possible = around.filter(({ float }) => Number.isInteger(float));
  const least = possible.map(({ float }) => distance(float)).reduce(smaller);
  const nearest = possible.filter(({ float }) => distance(float) === least);
  return (nearest.find(({ even }) => even) ?? nearest[0])?.float ?? guess;
}

function apply(name: MapFunction, values: readonly Value[]): Value | boolean {
  const [x = 0n, y = 0n, z = 0n] = values;
  switch (name) {
    case 'convert':
      return x;
    case 'where':
      return x === 0n ? z : y;
    case 'not':
      return x === 0n;
    case 'is-nan':
      return Number.isNaN(x);
    case 'is-infinite':
      return Math.abs(Number(x)) === Number.POSITIVE_INFINITY;
    case 'is-plus-infinity':
      return x === Number.POSITIVE_INFINITY;
    case 'is-minus-infinity':
      return x === Number.NEGATIVE_INFINITY;
    case 'equal':
      return x === y;
    case 'less':
      return x < y;
    case 'less-or-equal':
      return x <= y;
    case 'greater':
      return x > y;
    case 'greater-or-equal':
      return x >= y;
    default:
      return applyToIntegers(name, [x, y, z] as readonly bigint[]);
  }
}

function applyToIntegers(name: MapFunction, values: readonly bigint[]): bigint {
  const [x = 0n, y = 0n, z = 0n] = values;
  switch (name) {
    case 'neg':
      return -x;
    case 'abs':
      return x < 0n ? -x : x;
    case 'sign':
      return x === 0n ? 0n : x < 0n ? -1n : 1n;
    case 'relu':
      return x < 0n ? 0n : x;
    case 'complement':
      return ~x;
    case 'add':
      return x + y;
    case 'sub':
      return x - y;
    case 'mul':
      return x * y;
    case 'div':
      return y === 0n ? 0n : x / y;
    case 'remainder':
      return y === 0n ? 0n : x % y;
    case 'modulo':
      return y === 0n ? 0n : ((x % y) + y) % y;
    case 'min':
      return smaller(x, y);
    case 'max':
      return larger(x, y);
    case 'prelu':
      return x < 0n ? x * y : x;
    case 'and':
      return x & y;
    case 'or':
      return x | y;
    case 'xor':
      return x ^ y;
    case 'power':
      return power(x, y);
    case 'clip':
      return smaller(larger(x, y), z);
    default:
      throw new Error(`${name} is no function of integers`);
  }
}

/** Modulo 2^64, by which every class wraps. */
function power(x: bigint, y: bigint): bigint {
  if (y < 0n) return x === 1n ? 1n : x === -1n ? (y % 2n === 0n ? 1n : -1n) : 0n;
  let product = 1n;
  let square = BigInt.asUintN(64, x);
  for (let rest = y; rest > 0n; rest >>= 1n) {
    if (rest & 1n) product = BigInt.asUintN(64, product * square);
    square = BigInt.asUintN(64, square * square);
  }
  return product;
}

/** Math.min and Math.max do not take bigints. */
function smaller(x: bigint, y: bigint): bigint {
  if (x < y) return x;
  return y;
}

function larger(x: bigint, y: bigint): bigint {
  if (x > y) return x;
  return y;
}
