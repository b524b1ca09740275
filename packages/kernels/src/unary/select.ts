/** Algorithms of element-wise unary functions. */
import type { GpuCapabilities } from '@onegpu/core';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import { UNARY_ELEMENTWISE } from './elementwise.ts';
import type { UnaryProblem } from './problem.ts';

export const UNARY_ALGORITHMS: readonly Algorithm<UnaryProblem>[] = [UNARY_ELEMENTWISE];

/** Operands `src` and `dst`, both in the problem's layout. */
export function selectUnary(
  problem: UnaryProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): Selection {
  return selectAlgorithm('unary', UNARY_ALGORITHMS, problem, target, options);
}
