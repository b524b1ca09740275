/** Transposed convolution without `gemm-col2im`, which is quicker in places: what the smallest bundle needs. */
import type { Algorithm } from '../shared/algorithm.ts';
import { direct } from './direct.ts';
import { gather } from './gather.ts';
import { pixelShuffle, pixelShuffleTiled } from './pixel-shuffle.ts';
import { pixelTaps } from './pixel-taps.ts';
import type { ConvTransposeProblem } from './problem.ts';

/** In the order of `CONV_TRANSPOSE_ALGORITHMS`, which has them all; `direct` takes everything. */
export const CORE_CONV_TRANSPOSE_ALGORITHMS: readonly Algorithm<ConvTransposeProblem>[] = [
  pixelTaps,
  pixelShuffleTiled,
  pixelShuffle,
  gather,
  direct,
];
