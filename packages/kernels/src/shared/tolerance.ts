/**
 * The one place tolerances come from. Scaled error is max|y - r| / max|r| against float64.
 *
 * A sum of n float32 terms made in blocks of at most 256 is a chain of b = min(n, 256) additions in a block and a
 * chain of ceil(n / 256) block sums. The partial sums of zero-mean terms grow like a random walk, so the error of
 * a chain of n additions has a standard deviation of about u * sqrt(n) / 2.4 of the result's, u = 2^-24, and the
 * largest result of a tensor is about four deviations: 0.75 * u * sqrt(n) covers five deviations of the error
 * against that largest result, with room for tensors of few elements. Rounding of the products, of bias, residual
 * and the store adds a few u; an activation multiplies errors by its slope (at most 1.1 for the ones we fuse) and
 * adds the error of its own formula.
 */

/** float32's unit roundoff. */
export const UNIT_ROUNDOFF = 2 ** -24;
/** float16's unit roundoff: what storing a result of ordinary size adds. */
export const HALF_ROUNDOFF = 2 ** -11;

export interface SumTolerance {
  /** Terms summed into one output: taps times input channels of a group for a convolution. */
  readonly terms: number;
  /** Error of the activation formulas behind it in ulp, 0 when there are none. */
  readonly activationUlp?: number;
  /** Whether the result is stored as float16. */
  readonly half?: boolean;
}

/** Largest scaled error a float32 sum may show. */
export function sumTolerance({ terms, activationUlp = 0, half = false }: SumTolerance): number {
  const block = Math.min(Math.max(terms, 1), 256);
  const blocks = Math.ceil(Math.max(terms, 1) / 256);
  const sum = UNIT_ROUNDOFF * (4 + 0.75 * (Math.sqrt(block) + Math.sqrt(blocks)) + activationUlp);
  return half ? sum + HALF_ROUNDOFF : sum;
}

/**
 * What the error of sums is divided by: the largest result, or where that is smaller because sums cancel (there may be
 * one only, near zero), what the largest of many would be, four deviations. `walk` is the deviation of the sum of the
 * terms taken with random signs, the root of the sum of their squares.
 */
export function sumScale(largest: number, walk: number): number {
  return Math.max(largest, 4 * walk);
}

/**
 * Bound of a result that was computed in many steps, from the bounds of the steps: their sum, which is first order and
 * assumes that a later step makes no scaled error larger than it was.
 */
export function chainTolerance(bounds: readonly number[]): number {
  return bounds.reduce((sum, bound) => sum + bound, 0);
}
