/** The algorithm of Resize that weighs integers, `gather-integers`. */
import type { Algorithm } from '../shared/algorithm.ts';
import { axesPlan } from './axes.ts';
import { axesView } from './axes-view.ts';
import { integerFormat, isInteger, snapBits } from './element.ts';
import { gatherIntegersWgsl } from './gather-integers.wgsl.ts';
import { type AxisTaps, axisTaps } from './plan.ts';
import type { ResizeProblem } from './problem.ts';
import { fixedPointTable } from './tap-table.ts';

/** Bits of fraction that the result still needs to be told from a whole number. */
const LEAST_FRACTION = 24;

export const GATHER_INTEGERS: Algorithm<ResizeProblem> = {
  name: 'gather-integers',
  impossible: (problem) => {
    const { element, layout, sampling } = problem;
    if (!isInteger(element)) return `it weighs integers of up to 32 bits, not ${element}`;
    if (sampling.mode === 'nearest') return 'the mode is nearest';
    if (layout !== 'nchw') return 'the layout is not nchw';
    const taps = axesView(problem).axes.map(({ axis }) => axisTaps(axis, sampling));
    if (taps.some(({ weight }) => weight.some((value) => Math.abs(value) >= 2)))
      return 'a weight is 2 or more';
    return 32 - headroom(problem, taps) < LEAST_FRACTION ? 'the weights are too large' : undefined;
  },
  reject: () => undefined,
  plan: (problem, target) =>
    axesPlan(problem, target, {
      algorithm: 'gather-integers',
      wgsl: (_, taps) => {
        const { element } = problem;
        if (!isInteger(element)) throw new Error(`gather-integers: ${element}`);
        const spec = { ...integerFormat(element), snapBits: snapBits(element) };
        return gatherIntegersWgsl({
          ...spec,
          taps: taps.map((axis) => axis.taps),
          shift: headroom(problem, taps),
        });
      },
      table: fixedPointTable,
      tapElements: 3,
    }),
};

/** Bits beyond a signed word that partial sums may reach. */
function headroom({ element }: ResizeProblem, taps: readonly AxisTaps[]): number {
  if (!isInteger(element)) return 0;
  const { bits, signed } = integerFormat(element);
  const gain = taps.reduce((product, axis) => product * largestGain(axis), 1);
  return Math.max(Math.ceil(Math.log2(gain) + 0.01) + bits - (signed ? 1 : 0) - 31, 0);
}

/** Largest sum of absolute weights of one position. */
function largestGain({ taps, weight }: AxisTaps): number {
  let largest = 1;
  for (let from = 0; from < weight.length; from += taps) {
    const row = weight.subarray(from, from + taps);
    largest = Math.max(
      largest,
      row.reduce((sum, value) => sum + Math.abs(value), 0),
    );
  }
  return largest;
}
