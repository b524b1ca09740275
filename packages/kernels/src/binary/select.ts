/** Algorithms of element-wise binary functions. */
import type { GpuCapabilities } from '@onegpu/core';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import { BINARY_BROADCAST } from './broadcast.ts';
import type { BinaryProblem } from './problem.ts';

export const BINARY_ALGORITHMS: readonly Algorithm<BinaryProblem>[] = [BINARY_BROADCAST];

/** Operands `lhs`, `rhs` and `dst`. */
export function selectBinary(
  problem: BinaryProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): Selection {
  return selectAlgorithm('binary', BINARY_ALGORITHMS, problem, target, options);
}
