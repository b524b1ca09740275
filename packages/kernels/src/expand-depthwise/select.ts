/** Algorithms of expansion and depthwise convolution, in order of preference. */
import type { GpuCapabilities } from '@onegpu/core';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import { mapBands } from './map-bands.ts';
import type { ExpandDepthwiseProblem } from './problem.ts';
import { separate } from './separate.ts';

export const EXPAND_DEPTHWISE_ALGORITHMS: readonly Algorithm<ExpandDepthwiseProblem>[] = [mapBands, separate];

/** Operands `src`, `expandWeights`, `expandBias`, `weights`, `bias` and `dst`, channels last. */
export function planExpandDepthwise(
  problem: ExpandDepthwiseProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): Selection {
  return selectAlgorithm('ExpandDepthwise', EXPAND_DEPTHWISE_ALGORITHMS, problem, target, options);
}
