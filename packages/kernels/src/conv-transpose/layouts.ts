/** The layouts that transposed convolutions run in. */
import type { GpuCapabilities } from '@onegpu/core';
import { type Algorithm, selectAlgorithm } from '../shared/algorithm.ts';
import type { Layout } from '../shared/layout.ts';
import { direct } from './direct.ts';
import { pixelTaps } from './pixel-taps.ts';
import type { ConvTransposeProblem } from './problem.ts';

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
