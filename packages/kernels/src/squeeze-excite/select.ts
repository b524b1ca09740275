/** Algorithms of squeeze-excite, in order of preference. */
import type { GpuCapabilities } from '@onegpu/core';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import { channelBlocks } from './channel-blocks.ts';
import { oneWorkgroup } from './one-workgroup.ts';
import type { SqueezeExciteProblem } from './problem.ts';
import { separate } from './separate.ts';

export const SQUEEZE_EXCITE_ALGORITHMS: readonly Algorithm<SqueezeExciteProblem>[] = [
  oneWorkgroup,
  channelBlocks,
  separate,
];

/** Operands `src`, `squeezeWeights`, `squeezeBias`, `exciteWeights`, `exciteBias` and `dst`, channels last. */
export function planSqueezeExcite(
  problem: SqueezeExciteProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): Selection {
  return selectAlgorithm('SqueezeExcite', SQUEEZE_EXCITE_ALGORITHMS, problem, target, options);
}
