/**
 * How far a result of the GPU lies from its reference. Sums: scaled error max|y - r| / max|r| over the elements that
 * are finite in float32; a NaN must meet a NaN, an infinity or an overflow the same infinity. Everything else: bits.
 */
import { sumTolerance } from '@onegpu/kernels';
import type { ReferenceOutput } from '../op-definition.ts';
import type { Tensor } from '../tensor.ts';
import type { VerifiedOutput } from './verify-report.ts';

/** WGSL may flush smaller numbers to zero. */
const SMALLEST_NORMAL = 2 ** -126;

type Numbers = ArrayLike<number | bigint>;

export interface SumReference {
  readonly dims: readonly number[];
  readonly values: Float64Array;
  readonly bound: number;
}

/** @throws Error where type or dims are not the reference's, which is a fault of ours. */
export function measureOutput(name: string, actual: Tensor, reference: ReferenceOutput): VerifiedOutput {
  if (reference.kind === 'sum') {
    return measureSum(name, actual, { ...reference, bound: sumTolerance(reference.sum) });
  }
  const { dims, data, type } = reference.tensor;
  if (type !== actual.type) throw new Error(`output "${name}" is ${actual.type}, its reference ${type}`);
  const found = compareElements(name, actual, { dims, data: data as Numbers, same: Object.is });
  const passed = found.worst === undefined;
  const share = passed ? 0 : Number.POSITIVE_INFINITY;
  return { name, dims, check: 'exact', ...found, bound: 0, share, passed };
}

export function measureSum(name: string, actual: Tensor, reference: SumReference): VerifiedOutput {
  const { dims, values, bound } = reference;
  const same = (y: unknown, r: unknown): boolean => y === Math.fround(r as number) || Object.is(y, r);
  const found = compareElements(name, actual, { dims, data: values, same });
  const share = found.error === 0 ? 0 : found.error / bound;
  return { name, dims, check: 'sum', ...found, bound, share, passed: share <= 1 };
}

interface Expected {
  readonly dims: readonly number[];
  readonly data: Numbers;
  same(actual: unknown, expected: unknown): boolean;
}

function compareElements(
  name: string,
  actual: Tensor,
  { dims, data, same }: Expected,
): Pick<VerifiedOutput, 'error' | 'nan' | 'infinite' | 'worst'> {
  if (actual.dims.join() !== dims.join()) {
    throw new Error(`output "${name}" is [${actual.dims.join(', ')}], its reference [${dims.join(', ')}]`);
  }
  const got = actual.data as Numbers;
  const [counts, farthest] = [
    { nan: 0, infinite: 0 },
    { at: -1, distance: 0 },
  ];
  let scale = 0;
  for (let index = 0; index < data.length; index++) {
    const expected = Number(data[index]);
    if (Number.isNaN(expected)) counts.nan++;
    else if (!Number.isFinite(Math.fround(expected))) counts.infinite++;
    else scale = Math.max(scale, Math.abs(expected));
    if (same(got[index], data[index])) continue;
    const distance = distanceOf(Number(got[index]), expected);
    if (farthest.at < 0 || distance > farthest.distance) Object.assign(farthest, { at: index, distance });
  }
  const { at, distance } = farthest;
  // Where all of r is zero or not finite, any distance is past every bound.
  const error = distance <= SMALLEST_NORMAL ? 0 : distance / scale;
  const [y, r] = [got[at], data[at]];
  if (y === undefined || r === undefined) return { error, ...counts };
  return { error, ...counts, worst: { at: coordinatesOf(at, dims), got: y, expected: r } };
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
