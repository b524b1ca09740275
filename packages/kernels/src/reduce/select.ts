/** Algorithms of reductions, in order of preference. */
import type { GpuCapabilities } from '@onegpu/core';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import { BLOCK_FOLD } from './block-fold.ts';
import type { ReduceProblem } from './problem.ts';
import { WORKGROUP_FOLD } from './workgroup-fold.ts';

export const REDUCE_ALGORITHMS: readonly Algorithm<ReduceProblem>[] = [WORKGROUP_FOLD, BLOCK_FOLD];

/** Operands `src` and `dst` in the problem's layout. */
export function planReduce(
  problem: ReduceProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): Selection {
  return selectAlgorithm('Reduce', REDUCE_ALGORITHMS, problem, target, options);
}
