/** Algorithms of pooling, in order of preference. */
import type { GpuCapabilities } from '@onegpu/core';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import { DIRECT_POOL } from './direct.ts';
import { PADDING_ONLY } from './padding-only.ts';
import { type PoolProblem, poolName } from './problem.ts';
import { WHOLE_MAP } from './whole-map.ts';

export const POOL_ALGORITHMS: readonly Algorithm<PoolProblem>[] = [WHOLE_MAP, DIRECT_POOL, PADDING_ONLY];

/** Operands `src` and `dst` in the problem's layout, and `indices` where the problem asks for them. */
export function planPool(problem: PoolProblem, target: GpuCapabilities, options: KernelOptions): Selection {
  return selectAlgorithm(poolName(problem.operation), POOL_ALGORITHMS, problem, target, options);
}
