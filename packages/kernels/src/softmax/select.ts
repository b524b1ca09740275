/** Algorithms of softmax, in order of preference. */
import type { GpuCapabilities } from '@onegpu/core';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import { BLOCK_STATISTICS } from './block-statistics.ts';
import type { SoftmaxProblem } from './problem.ts';

export const SOFTMAX_ALGORITHMS: readonly Algorithm<SoftmaxProblem>[] = [BLOCK_STATISTICS];

/** Operands `src` and `dst`, row-major. */
export function planSoftmax(
  problem: SoftmaxProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): Selection {
  const name = problem.operation === 'softmax' ? 'Softmax' : 'LogSoftmax';
  return selectAlgorithm(name, SOFTMAX_ALGORITHMS, problem, target, options);
}
