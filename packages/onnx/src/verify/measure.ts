/**
 * How far a result of the GPU lies from its reference. Sums: scaled error max|y - r| / max|r| over the elements that
 * are finite in the type of the result; a NaN must meet a NaN, an infinity or an overflow the same infinity. Everything else: bits.
 */
import { halfToNumber, numberToHalf } from '@onegpu/core';
import { sumScale, sumTolerance } from '@onegpu/kernels';
import type { ReferenceOutput } from '../op-definition.ts';
import type { Tensor } from '../tensor.ts';
import type { VerifiedOutput } from './verify-report.ts';

/** How a float type rounds. */
interface Rounding {
  round(value: number): number;
  /** Differences up to this say nothing: WGSL may flush such numbers to zero, or they are one step of the type. */
  readonly least: number;
}

const SINGLE: Rounding = { round: Math.fround, least: 2 ** -126 };
const HALF: Rounding = { round: (value) => halfToNumber(numberToHalf(value)), least: 2 ** -24 };

type Numbers = ArrayLike<number | bigint>;

/** @throws Error where type or dims are not the reference's, which is a fault of ours. */
export function measureOutput(name: string, actual: Tensor, reference: ReferenceOutput): VerifiedOutput {
  if (reference.kind === 'sum') return measureSum(name, actual, reference);
  const { dims, type } = reference.tensor;
  if (type !== actual.type) throw new Error(`output "${name}" is ${actual.type}, its reference ${type}`);
  const { distance, scale, shown } = compareElements(name, actual, {
    dims,
    data: numbersOf(reference.tensor),
    same: Object.is,
    rounding: SINGLE,
  });
  const passed = shown.worst === undefined;
  const error = distance === 0 ? 0 : distance / scale;
  const share = passed ? 0 : Number.POSITIVE_INFINITY;
  return { name, dims, check: 'exact', error, bound: 0, scale, share, passed, ...shown };
}

function measureSum(
  name: string,
  actual: Tensor,
  reference: Extract<ReferenceOutput, { kind: 'sum' }>,
): VerifiedOutput {
  return measureWithin(name, actual, { ...reference, bound: sumTolerance(reference.sum) });
}

export interface BoundedReference {
  readonly dims: readonly number[];
  readonly values: Float64Array;
  readonly bound: number;
  /** See `ReferenceOutput`. */
  walk?(): number;
}

/** Sums against a bound of the caller's. */
export function measureWithin(name: string, actual: Tensor, reference: BoundedReference): VerifiedOutput {
  const { dims, values, bound, walk } = reference;
  const rounding = actual.type === 'float16' ? HALF : SINGLE;
  const same = (y: unknown, r: unknown): boolean => y === rounding.round(r as number) || Object.is(y, r);
  const found = compareElements(name, actual, { dims, data: values, same, rounding });
  // Most results are far inside; only for one that is not is it worth knowing how far its partial sums went.
  const past = found.distance > bound * found.scale && walk !== undefined;
  const scale = past ? sumScale(found.scale, walk()) : found.scale;
  return withBound({ name, dims }, { ...found, scale }, bound);
}

function withBound(
  output: Pick<VerifiedOutput, 'name' | 'dims'>,
  { distance, scale, shown }: Found,
  bound: number,
): VerifiedOutput {
  // Where all of r is zero or not finite, any distance is past every bound.
  const error = distance === 0 ? 0 : distance / scale;
  const share = error / bound;
  return { ...output, check: 'sum', error, bound, scale, share, passed: share <= 1, ...shown };
}

interface Expected {
  readonly dims: readonly number[];
  readonly data: Numbers;
  same(actual: unknown, expected: unknown): boolean;
  readonly rounding: Rounding;
}

interface Found {
  /** Largest |y - r|, and the largest finite |r|. */
  readonly distance: number;
  readonly scale: number;
  readonly shown: Pick<VerifiedOutput, 'nan' | 'infinite' | 'worst'>;
}

function compareElements(name: string, actual: Tensor, { dims, data, same, rounding }: Expected): Found {
  if (actual.dims.join() !== dims.join()) {
    throw new Error(`output "${name}" is [${actual.dims.join(', ')}], its reference [${dims.join(', ')}]`);
  }
  const got = numbersOf(actual);
  const counts = { nan: 0, infinite: 0 };
  let [scale, farthest, at] = [0, 0, -1];
  for (let index = 0; index < data.length; index++) {
    const expected = Number(data[index]);
    if (Number.isNaN(expected)) counts.nan++;
    else if (!Number.isFinite(rounding.round(expected))) counts.infinite++;
    else scale = Math.max(scale, Math.abs(expected));
    if (same(got[index], data[index])) continue;
    const distance = distanceOf(Number(got[index]), expected);
    if (at >= 0 && distance <= farthest) continue;
    farthest = distance;
    at = index;
  }
  const distance = farthest <= rounding.least ? 0 : farthest;
  const [y, r] = [got[at], data[at]];
  const worst =
    y === undefined || r === undefined ? {} : { worst: { at: coordinatesOf(at, dims), got: y, expected: r } };
  return { distance, scale, shown: { ...counts, ...worst } };
}

/** The elements; of float16 the numbers that its bits stand for. */
function numbersOf({ type, data }: Tensor): Numbers {
  return type === 'float16' ? Float64Array.from(data as Uint16Array, halfToNumber) : (data as Numbers);
}

function distanceOf(actual: number, expected: number): number {
  const distance = Math.abs(actual - expected);
  return Number.isNaN(distance) ? Number.POSITIVE_INFINITY : distance;
}

function coordinatesOf(index: number, dims: readonly number[]): readonly number[] {
  const at = dims.map(() => 0);
  let rest = index;
  for (let axis = dims.length - 1; axis >= 0; axis--) {
    const extent = dims[axis] ?? 1;
    at[axis] = rest % extent;
    rest = Math.floor(rest / extent);
  }
  return at;
}
