/**
 * Long sums in blocks: quads of four terms are summed in blocks of at most 64 (256 terms), block sums into a second
 * accumulator. With compiled gemmK the blocks are equally long and their loops have constant bounds.
 */
import { evenBlocks } from '../shared/even-blocks.ts';
import { BLOCK_TERMS } from './spec.ts';

export interface QuadBlocks {
  /** WGSL expression: number of blocks. */
  readonly count: string;
  /** Quads in each block. */
  readonly steps: number;
  /** Whether a step past the last quad exists and must be skipped. */
  readonly ragged: boolean;
}

export function quadBlocks(gemmK: number | undefined, longest = BLOCK_TERMS / 4): QuadBlocks {
  if (gemmK === undefined) {
    return { count: `(k_quads() + ${longest - 1}u) / ${longest}u`, steps: longest, ragged: true };
  }
  const quads = Math.ceil(gemmK / 4);
  const { blocks: count, blockSteps: steps } = evenBlocks(quads, longest);
  return { count: `${count}u`, steps, ragged: count * steps !== quads };
}
