/** Algorithms of max unpooling. */
import type { GpuCapabilities } from '@onegpu/core';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import { MARK_AND_GATHER } from './mark-and-gather.ts';
import type { MaxUnpoolProblem } from './problem.ts';

export const MAX_UNPOOL_ALGORITHMS: readonly Algorithm<MaxUnpoolProblem>[] = [MARK_AND_GATHER];

/** Operands `src`, `indices` (int64) and `dst`, dense. */
export function planMaxUnpool(
  problem: MaxUnpoolProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): Selection {
  return selectAlgorithm('MaxUnpool', MAX_UNPOOL_ALGORITHMS, problem, target, options);
}
