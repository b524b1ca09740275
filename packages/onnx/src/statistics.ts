/** Summaries of repeated measurements. */

/** The value below which the fraction `q` (0 to 1) of the values lies, interpolated between neighbours; NaN for none. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const position = (sorted.length - 1) * q;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? below;
  return below + (above - below) * (position - Math.floor(position));
}

/** Middle value; the mean of the two middle ones for an even count; NaN for none. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Sorted values without a tenth from each end. */
export function trimmed(values: readonly number[]): number[] {
  const sorted = [...values].sort((a, b) => a - b);
  const cut = Math.floor(sorted.length / 10);
  return sorted.slice(cut, sorted.length - cut);
}
