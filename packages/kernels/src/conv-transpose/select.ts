/** The order in which transposed convolution algorithms are asked; `direct` is last and takes everything. */
import type { GpuCapabilities } from '@onegpu/core';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import { direct } from './direct.ts';
import { gather } from './gather.ts';
import { gemmCol2im } from './gemm-col2im.ts';
import { pixelShuffle, pixelShuffleTiled } from './pixel-shuffle.ts';
import { pixelTaps } from './pixel-taps.ts';
import type { ConvTransposeProblem } from './problem.ts';

export const CONV_TRANSPOSE_ALGORITHMS: readonly Algorithm<ConvTransposeProblem>[] = [
  pixelTaps,
  pixelShuffleTiled,
  pixelShuffle,
  gemmCol2im,
  gather,
  direct,
];

/** @throws GpuKernelShapeError when the algorithm asked for cannot run here. */
export function selectConvTranspose(
  problem: ConvTransposeProblem,
  target: GpuCapabilities,
  options: KernelOptions = { mode: 'fast' },
): Selection {
  return selectAlgorithm('conv-transpose', CONV_TRANSPOSE_ALGORITHMS, problem, target, options);
}
