/**
 * When a map in one dispatch pays: its estimate beside that of the convolutions one by one, with the first dispatch of a
 * squeeze-excite behind them where there is one. Large batches give each convolution work enough of its own, and bands
 * expand the rows between them twice.
 */
import type { GpuCapabilities } from '@onegpu/core';
import { convDstElements, convTerms } from '../conv/problem.ts';
import { multiprocessors } from '../shared/multiprocessors.ts';
import { EXCITE_LAUNCH, layoutOf } from './map-tile.ts';
import type { ExpandDepthwiseProblem } from './problem.ts';

/**
 * Nanoseconds of two convolutions without any work, and multiply-adds a nanosecond of a multiprocessor in each: timings
 * of twelve such pairs, two of them with a squeeze-excite behind, are within 6 % of that.
 */
const TWO_LAUNCHES = 9300;
const EXPAND_PRODUCTS = 65;
const DEPTHWISE_PRODUCTS = 17.2;
/** Nanoseconds of the sums over a map that a squeeze-excite starts with, and bytes a nanosecond of a multiprocessor. */
const SQUEEZE_LAUNCH = 3700;
const SQUEEZE_BYTES = 18;
/** Nanoseconds that a dispatch less saves inside a network at least, beyond its launch: nothing is in the caches there. */
const SAVED = 1700;

/** Why dispatches of their own are quicker; undefined where they are not. `hidden`: of a squeeze-excite. */
export function notWorthwhile(
  problem: ExpandDepthwiseProblem,
  target: GpuCapabilities,
  hidden = 0,
): string | undefined {
  const layout = layoutOf(problem, target.limits, { hidden });
  if (layout === undefined) return undefined;
  const { expand, depthwise } = problem;
  const units = multiprocessors(target);
  const [wide, dst] = [convDstElements(expand) / units, convDstElements(depthwise) / units];
  const convolutions =
    TWO_LAUNCHES +
    (wide * convTerms(expand)) / EXPAND_PRODUCTS +
    (dst * convTerms(depthwise)) / DEPTHWISE_PRODUCTS;
  const excite = hidden === 0 ? 0 : SQUEEZE_LAUNCH + (4 * dst) / SQUEEZE_BYTES + EXCITE_LAUNCH;
  const separate = convolutions + excite;
  if (layout.nanoseconds <= separate + SAVED * (hidden === 0 ? 1 : 2)) return undefined;
  const [own, others] = [layout.nanoseconds, separate].map((time) => (time / 1000).toFixed(0));
  return `estimated at ${own} us, separate dispatches at ${others} us`;
}
