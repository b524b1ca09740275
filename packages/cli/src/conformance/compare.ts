/**
 * Whether a tensor is the expected one: type and extents equal; integers, booleans and texts exact; floats within
 * a relative and an absolute tolerance an element, NaN equal to NaN, infinities only to themselves. A case that brings
 * its own bound is held to that: scaled error max|y - r| / max|r|, or every bit where the bound is 0.
 */
import type { Tensor } from '@onegpu/onnx';
import { halfToNumber } from '@onegpu/onnx';
import type { CaseBound } from '@onegpu/onnx/verify';

export interface ElementTolerance {
  readonly relative: number;
  readonly absolute: number;
}

/** Allowed |actual - expected| is absolute + relative * |expected|. */
export const FLOAT_TOLERANCE: ElementTolerance = { relative: 1e-3, absolute: 1e-5 };
export const HALF_TOLERANCE: ElementTolerance = { relative: 1e-2, absolute: 1e-3 };

/** Why the tensors differ, with the first element that does; undefined where they agree. */
export function tensorDifference(
  actual: Tensor,
  expected: Tensor,
  bound?: Pick<CaseBound, 'bound' | 'scale'>,
): string | undefined {
  if (actual.type !== expected.type) return `type ${actual.type}, expected ${expected.type}`;
  const dims = `[${actual.dims.join(', ')}]`;
  const expectedDims = `[${expected.dims.join(', ')}]`;
  if (dims !== expectedDims) return `shape ${dims}, expected ${expectedDims}`;
  const agree = bound === undefined ? elementsAgree(actual, expected) : withinBound(actual, expected, bound);
  let first = -1;
  let count = 0;
  for (let index = 0; index < expected.size; index++) {
    if (agree(index)) continue;
    if (first < 0) first = index;
    count++;
  }
  if (first < 0) return undefined;
  const place = coordinates(first, expected.dims);
  return (
    `${count} of ${expected.size} elements differ, first at [${place.join(', ')}]: ` +
    `${elementText(actual, first)}, expected ${elementText(expected, first)}`
  );
}

function elementsAgree(actual: Tensor, expected: Tensor): (index: number) => boolean {
  const a = actual.data;
  const b = expected.data;
  if (expected.type === 'float16') {
    return (index) => closeTo(halfToNumber(Number(a[index])), halfToNumber(Number(b[index])), HALF_TOLERANCE);
  }
  if (expected.type === 'float32' || expected.type === 'float64') {
    return (index) => closeTo(Number(a[index]), Number(b[index]), FLOAT_TOLERANCE);
  }
  return (index) => a[index] === b[index];
}

function withinBound(
  actual: Tensor,
  expected: Tensor,
  { bound, scale }: Pick<CaseBound, 'bound' | 'scale'>,
): (index: number) => boolean {
  const [a, b] = [numbersOf(actual), numbersOf(expected)];
  if (bound === 0) return (index) => Object.is(a[index], b[index]);
  const tolerance = { relative: 0, absolute: bound * scale };
  return (index) => closeTo(Number(a[index]), Number(b[index]), tolerance);
}

/** The elements; of float16 the numbers that its bits stand for. */
function numbersOf({ type, data }: Tensor): ArrayLike<unknown> {
  return type === 'float16' ? Array.from(data as Uint16Array, halfToNumber) : data;
}

function closeTo(actual: number, expected: number, { relative, absolute }: ElementTolerance): boolean {
  if (Number.isNaN(actual) || Number.isNaN(expected)) return Number.isNaN(actual) && Number.isNaN(expected);
  if (!Number.isFinite(actual) || !Number.isFinite(expected)) return actual === expected;
  return Math.abs(actual - expected) <= absolute + relative * Math.abs(expected);
}

function elementText(tensor: Tensor, index: number): string {
  const value = tensor.data[index];
  if (tensor.type === 'float16') return String(halfToNumber(Number(value)));
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

function coordinates(index: number, dims: readonly number[]): readonly number[] {
  let rest = index;
  return dims
    .map((_, axis) => dims[dims.length - 1 - axis] ?? 1)
    .map((extent) => {
      const coordinate = rest % extent;
      rest = Math.floor(rest / extent);
      return coordinate;
    })
    .reverse();
}
