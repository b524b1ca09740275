/**
 * What can be said of the GPU timestamps of one run. Browsers round them (to 100 us), drivers count in steps of
 * their own, so a difference may be zero; it is taken as zero also where a clock ran backwards.
 */
import type { PassTime } from '@onegpu/core';

const NS_PER_MS = 1e6;
/** Conversion to whole nanoseconds moves a timestamp by less than 1, so two equal steps may differ by this. */
const ROUNDING_NS = 2;

/** Milliseconds of one pass; never negative. */
export function passMs({ begin, end }: PassTime): number {
  return Math.max(0, end - begin) / NS_PER_MS;
}

/** Earliest begin, nanoseconds; 0 for no passes. */
export function firstBegin(passes: readonly PassTime[]): number {
  return passes.reduce((first, { begin }) => Math.min(first, begin), passes[0]?.begin ?? 0);
}

/** Last end minus first begin, milliseconds, gaps included. */
export function spanMs(passes: readonly PassTime[]): number {
  const last = passes.reduce((latest, { begin, end }) => Math.max(latest, begin, end), firstBegin(passes));
  return (last - firstBegin(passes)) / NS_PER_MS;
}

/** The smallest step seen between two timestamps, milliseconds; undefined where all are equal. */
export function timestampStepMs(runs: readonly (readonly PassTime[])[]): number | undefined {
  const ticks = runs.flatMap((passes) => {
    const first = firstBegin(passes);
    return passes.flatMap(({ begin, end }) => [begin - first, end - first]);
  });
  ticks.sort((a, b) => a - b);
  let smallest = Number.POSITIVE_INFINITY;
  for (let index = 1; index < ticks.length; index++) {
    const step = (ticks[index] ?? 0) - (ticks[index - 1] ?? 0);
    if (step > ROUNDING_NS && step < smallest) smallest = step;
  }
  return Number.isFinite(smallest) ? smallest / NS_PER_MS : undefined;
}
