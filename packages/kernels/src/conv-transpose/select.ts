/** The order in which transposed convolution algorithms are asked; `direct` is last and takes everything. */
import type { GpuCapabilities } from '@onegpu/core';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import type { Layout } from '../shared/layout.ts';
import { direct } from './direct.ts';
import { gather } from './gather.ts';
import { gemmCol2im } from './gemm-col2im.ts';
import { pixelShuffle, pixelShuffleTiled } from './pixel-shuffle.ts';
import { pixelTaps } from './pixel-taps.ts';
import type { ConvTransposeProblem } from './problem.ts';

/** Without `gemm-col2im`, which is quicker in places: what the smallest bundle needs. */
export const CORE_CONV_TRANSPOSE_ALGORITHMS: readonly Algorithm<ConvTransposeProblem>[] = [
  pixelTaps,
  pixelShuffleTiled,
  pixelShuffle,
  gather,
  direct,
];

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

/**
 * Layout the problem runs best in: channels last, except where only `direct` would take it so and `gemm-col2im`
 * takes it in nchw, where that is one of `algorithms`.
 */
export function preferredConvTransposeLayout(
  problem: ConvTransposeProblem,
  target: GpuCapabilities,
  algorithms: readonly Algorithm<ConvTransposeProblem>[],
): Layout {
  const best = (layout: Layout): string => {
    const placed = { ...problem, layout, dstLayout: layout };
    return selectAlgorithm('conv-transpose', algorithms, placed, target, { mode: 'fast' }).algorithm;
  };
  return best('nhwc4') === direct.name && best('nchw') !== direct.name ? 'nchw' : 'nhwc4';
}

/** Layout of dst for a src in `layout`: one channel is written dense where a kernel can. */
export function convTransposeDstLayout(problem: ConvTransposeProblem, target: GpuCapabilities): Layout {
  const dense: ConvTransposeProblem = { ...problem, dstLayout: 'nchw' };
  const taken = problem.oc === 1 && pixelTaps.impossible(dense, target) === undefined;
  return taken ? 'nchw' : problem.layout;
}
