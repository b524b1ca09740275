/** Algorithms of pooling, in order of preference; `direct` takes everything. */
import type { GpuCapabilities } from '@onegpu/core';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import { DIRECT_POOL } from './direct.ts';
import type { PoolProblem } from './problem.ts';
import { WHOLE_MAP } from './whole-map.ts';

export const POOL_ALGORITHMS: readonly Algorithm<PoolProblem>[] = [WHOLE_MAP, DIRECT_POOL];

/** Operands `src` and `dst` in the problem's layout. */
export function planPool(problem: PoolProblem, target: GpuCapabilities, options: KernelOptions): Selection {
  const name = problem.operation === 'max' ? 'MaxPool' : 'AveragePool';
  return selectAlgorithm(name, POOL_ALGORITHMS, problem, target, options);
}
