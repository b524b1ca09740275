/** Algorithms of gathers by computed indices. */
import type { GpuCapabilities } from '@onegpu/core';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import type { GatherRowsProblem } from './problem.ts';
import { GATHER_ROWS } from './rows.ts';

export const GATHER_ALGORITHMS: readonly Algorithm<GatherRowsProblem>[] = [GATHER_ROWS];

/** Operands `src`, `index` and `dst`, dense. */
export function selectGather(
  problem: GatherRowsProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): Selection {
  return selectAlgorithm('gather', GATHER_ALGORITHMS, problem, target, options);
}
