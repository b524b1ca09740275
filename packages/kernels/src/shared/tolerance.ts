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
 *
 * Winograd's convolutions sum products of transformed operands over the channels and add 36 or 16 such sums to an output. With
 * terms of no mean a source of deviation 1 becomes values of the lengths of the rows of B, filters those of the rows of
 * G, and an output of deviation 3 sqrt(channels) is made of products that are larger: along one axis by the root of
 * sum_p A[p]^2 |B[p]|^2 |G[p]|^2 / 3, p over the points, sqrt(7.125) at the outer two of F(4x4)'s four outputs and
 * sqrt(2.92) at the inner two, sqrt(5 / 3) at both of F(2x2). So the outputs at the corners of a tile amplify the errors of
 * the sums, and the roundings of the transforms (as many as a sum has beside its chain), by 7.125 or by 5 / 3 against
 * their own deviation. Shorter blocks make up for that in F(2x2).
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
  /**
   * Made of Winograd's products, sums over the channels (a ninth of the terms), in tiles of so many outputs along an axis:
   * F(4x4, 3x3) or F(2x2, 3x3).
   */
  readonly transformed?: 4 | 2;
  /** Whether the result is stored as float16. */
  readonly half?: boolean;
}

/** At the outputs in the corners of a tile of F(4x4, 3x3) or F(2x2, 3x3), see above. */
export const TRANSFORM_AMPLIFICATION = { 4: 7.125, 2: 5 / 3 } as const;

/** Terms of a block of the sums over the channels, by outputs of a tile. */
export const WINOGRAD_BLOCK_TERMS = { 4: 256, 2: 128 } as const;

/** Largest scaled error a float32 sum may show. */
export function sumTolerance(sum: SumTolerance): number {
  const { terms, activationUlp = 0, transformed, half = false } = sum;
  const added = Math.max(transformed === undefined ? terms : terms / 9, 1);
  const most = transformed === undefined ? 256 : WINOGRAD_BLOCK_TERMS[transformed];
  const block = Math.min(added, most);
  const blocks = Math.ceil(added / most);
  const chain = 4 + 0.75 * (Math.sqrt(block) + Math.sqrt(blocks));
  const amplification = transformed === undefined ? 1 : TRANSFORM_AMPLIFICATION[transformed];
  const error = UNIT_ROUNDOFF * (amplification * chain + activationUlp);
  return half ? error + HALF_ROUNDOFF : error;
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
