/**
 * How a register kernel walks k: steps of at most 256 terms, each summed into accumulators of its own and then
 * added to the totals. A step covers several whole taps, or a slice of the channels of one tap.
 */
export interface KBlocks {
  readonly steps: number;
  /** Whole taps in one step; divides the number of taps. */
  readonly tapsPerStep: number;
  /** Steps that share one tap. */
  readonly slices: number;
  /** Channel units (vec4 or scalars) of one slice. */
  readonly sliceUnits: number;
  /** Whether the last slice of a tap reaches past the channels, so that each unit must be checked. */
  readonly ragged: boolean;
}

const BLOCK_TERMS = 256;

/** `units` channel units a tap, `unitTerms` terms in each. */
export function kBlocks(taps: number, units: number, unitTerms: 1 | 4): KBlocks {
  const most = BLOCK_TERMS / unitTerms;
  if (units <= most) {
    const tapsPerStep = largestDivisor(taps, Math.max(1, Math.floor(most / Math.max(units, 1))));
    return { steps: taps / tapsPerStep, tapsPerStep, slices: 1, sliceUnits: units, ragged: false };
  }
  const even = largestDivisor(units, most);
  const sliceUnits = even * 4 >= most ? even : Math.ceil(units / Math.ceil(units / most));
  const slices = Math.ceil(units / sliceUnits);
  return {
    steps: taps * slices,
    tapsPerStep: 1,
    slices,
    sliceUnits,
    ragged: slices * sliceUnits !== units,
  };
}

function largestDivisor(value: number, most: number): number {
  for (let divisor = Math.min(value, most); divisor > 1; divisor--) {
    if (value % divisor === 0) return divisor;
  }
  return 1;
}
