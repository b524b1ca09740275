/**
 * The check of one plan whose results are sums: small integers bit for bit, then random floats within the derived bound,
 * over float32 or float16 operands. Inputs of float16 are rounded before both sides see them.
 *
 * Few results may all cancel, so floats are measured against what the largest of many would be, see `sumScale`: the
 * reference over squared operands gives the squares of that walk.
 */
import { halfToNumber, numberToHalf } from '@onegpu/core';
import { expectEqual, expectWithin, integerFill, randomFill, sumTolerance } from '@onegpu/testing';
import { HALF_ROUNDOFF, type SumTolerance, sumScale } from '../src/shared/tolerance.ts';

export type FloatStorage = 'float32' | 'float16';
export type Fill = (length: number, seed: number) => Float32Array;

export interface SumCheck<Operands> {
  readonly storage: FloatStorage;
  readonly dstDims: readonly number[];
  readonly sum: SumTolerance;
  /** Filled operands: factors and addends of the sums from `values`, positions in a picture from `places`. */
  readonly operands: (values: Fill, places: Fill) => Operands;
  readonly run: (operands: Operands) => Promise<ArrayLike<number>>;
  readonly reference: (operands: Operands) => Float64Array;
}

const integers: Fill = (length, seed) => integerFill(length, seed, -3, 3);
/** Their shares of pixels are exact. */
const quarters: Fill = (length, seed) => integerFill(length, seed, -12, 12).map((value) => value / 4);
const wide: Fill = (length, seed) => randomFill(length, seed, -3, 3);

export async function checkSums<Operands>(check: SumCheck<Operands>): Promise<void> {
  const { storage, dstDims, sum, operands, run, reference } = check;
  const exact = operands(integers, quarters);
  expectEqual(await run(exact), stored(reference(exact), storage), dstDims);
  const floats: Fill = (length, seed) => stored(randomFill(length, seed), storage);
  const places: Fill = (length, seed) => stored(wide(length, seed), storage);
  const real = operands(floats, places);
  const expected = reference(real);
  const squares = operands((length, seed) => floats(length, seed).map((value) => value ** 2), places);
  const bound = sumBound(expected, reference(squares), { sum, storage });
  expectWithin(await run(real), expected, bound, dstDims);
}

/** Values as the storage holds them. */
export function stored(values: ArrayLike<number>, storage: FloatStorage): Float32Array {
  if (storage === 'float32') return Float32Array.from(values);
  return Float32Array.from(values, (value) => halfToNumber(numberToHalf(value)));
}

/** Largest scaled error allowed; `squares` are the sums of the squares of the terms behind each result. */
export function sumBound(
  expected: Float64Array,
  squares: Float64Array,
  { sum, storage }: { sum: SumTolerance; storage: FloatStorage },
): number {
  const size = (values: Float64Array): number =>
    values.filter(Number.isFinite).reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const largest = size(expected);
  const scale = sumScale(largest, Math.sqrt(size(squares))) / (largest === 0 ? 1 : largest);
  return sumTolerance(sum) * scale + (storage === 'float16' ? HALF_ROUNDOFF : 0);
}
