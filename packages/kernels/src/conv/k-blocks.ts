/**
 * How a register kernel walks k: steps of at most 256 terms, each summed into accumulators of its own and then
 * added to the totals. A step covers several whole taps, or a slice of the channels of one tap. Channels are counted
 * in vec4.
 */
export interface KBlocks {
  readonly steps: number;
  /** Whole taps in one step; divides the number of taps. */
  readonly tapsPerStep: number;
  /** Steps that share one tap. */
  readonly slices: number;
  /** vec4 of channels of one slice; the last slice of a tap may reach past the channels. */
  readonly sliceQuads: number;
}

const BLOCK_QUADS = 64;

/** Steps over `taps` taps of `quads` vec4 of channels each. */
export function kBlocks(taps: number, quads: number): KBlocks {
  if (quads <= BLOCK_QUADS) {
    const tapsPerStep = largestDivisor(taps, Math.floor(BLOCK_QUADS / Math.max(quads, 1)));
    return { steps: taps / tapsPerStep, tapsPerStep, slices: 1, sliceQuads: quads };
  }
  const slices = Math.ceil(quads / BLOCK_QUADS);
  const sliceQuads = Math.ceil(quads / slices);
  return { steps: taps * slices, tapsPerStep: 1, slices, sliceQuads };
}

function largestDivisor(value: number, most: number): number {
  for (let divisor = Math.min(value, most); divisor > 1; divisor--) {
    if (value % divisor === 0) return divisor;
  }
  return 1;
}
