/** Distance between two results: max|y - r| / max|r|, the figure that every numeric claim here is made in. */

/**
 * @returns 0 for equal results; infinity where one side holds a NaN or an infinity that the other lacks
 * @throws RangeError when the lengths differ
 */
export function scaledError(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (actual.length !== expected.length) {
    throw new RangeError(`${actual.length} values cannot be compared with ${expected.length}`);
  }
  let difference = 0;
  let largest = 0;
  for (let i = 0; i < expected.length; i++) {
    const [a, e] = [actual[i] ?? 0, expected[i] ?? 0];
    if (Object.is(a, e) || a === e) {
      if (Number.isFinite(e)) largest = Math.max(largest, Math.abs(e));
      continue;
    }
    if (!Number.isFinite(a) || !Number.isFinite(e)) return Number.POSITIVE_INFINITY;
    difference = Math.max(difference, Math.abs(a - e));
    largest = Math.max(largest, Math.abs(e));
  }
  if (difference === 0) return 0;
  return largest === 0 ? Number.POSITIVE_INFINITY : difference / largest;
}
