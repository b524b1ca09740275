/** Summaries of repeated timings: medians, and how far the samples lie apart. */

import { quantile } from '@onegpu/onnx/tools';

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
  const medianMs = quantile(samples, 0.5);
  return {
    medianMs,
    minMs: quantile(samples, 0),
    maxMs: quantile(samples, 1),
    spread: medianMs === 0 ? 0 : (quantile(samples, 0.75) - quantile(samples, 0.25)) / medianMs,
    runs: samples.length,
  };
}
