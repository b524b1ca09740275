/** Summaries of repeated timings: medians, and how far the samples lie apart. */

export interface Timing {
  readonly medianMs: number;
  readonly minMs: number;
  readonly maxMs: number;
  /** Distance between the quartiles over the median, 0 when every run took the same time. */
  readonly spread: number;
  readonly runs: number;
}

/** @throws RangeError without samples */
export function summarizeTimings(samples: readonly number[]): Timing {
  if (samples.length === 0) throw new RangeError('a summary needs at least one sample');
  const sorted = [...samples].sort((a, b) => a - b);
  const medianMs = quantile(sorted, 0.5);
  return {
    medianMs,
    minMs: quantile(sorted, 0),
    maxMs: quantile(sorted, 1),
    spread: medianMs === 0 ? 0 : (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / medianMs,
    runs: samples.length,
  };
}

/** The value below which the fraction `q` of the sorted samples lies, interpolated between neighbours. */
export function quantile(sorted: readonly number[], q: number): number {
  const position = (sorted.length - 1) * q;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? below;
  return below + (above - below) * (position - Math.floor(position));
}
