/** Algorithms of local response normalisation. */
import type { GpuCapabilities } from '@onegpu/core';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import { DIRECT_LRN } from './direct.ts';
import type { LrnProblem } from './problem.ts';

export const LRN_ALGORITHMS: readonly Algorithm<LrnProblem>[] = [DIRECT_LRN];

/** Operands `src` and `dst` in the problem's layout. */
export function planLrn(problem: LrnProblem, target: GpuCapabilities, options: KernelOptions): Selection {
  return selectAlgorithm('LRN', LRN_ALGORITHMS, problem, target, options);
}
