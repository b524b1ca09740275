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
  /** Channels of one slice. */
  readonly sliceChannels: number;
  /** Whether the last slice of a tap reaches past the channels, so that each one must be checked. */
  readonly ragged: boolean;
}

const BLOCK_TERMS = 256;

/** Steps over `taps` taps of `channels` channels each. */
export function kBlocks(taps: number, channels: number): KBlocks {
  const most = BLOCK_TERMS;
  if (channels <= most) {
    const tapsPerStep = largestDivisor(taps, Math.max(1, Math.floor(most / Math.max(channels, 1))));
    return { steps: taps / tapsPerStep, tapsPerStep, slices: 1, sliceChannels: channels, ragged: false };
  }
  const even = largestDivisor(channels, most);
  const sliceChannels = even * 4 >= most ? even : Math.ceil(channels / Math.ceil(channels / most));
  const slices = Math.ceil(channels / sliceChannels);
  return {
    steps: taps * slices,
    tapsPerStep: 1,
    slices,
    sliceChannels,
    ragged: slices * sliceChannels !== channels,
  };
}

function largestDivisor(value: number, most: number): number {
  for (let divisor = Math.min(value, most); divisor > 1; divisor--) {
    if (value % divisor === 0) return divisor;
  }
  return 1;
}
