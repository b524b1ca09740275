/** Algorithms of integer matrix products, in order of preference. */
import type { GpuCapabilities } from '@onegpu/core';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import { DIRECT_MATMUL_INTEGER } from './direct.ts';
import { PACKED_DOT_MATMUL } from './packed-dot.ts';
import type { MatMulIntegerProblem } from './problem.ts';

export const MATMUL_INTEGER_ALGORITHMS: readonly Algorithm<MatMulIntegerProblem>[] = [
  PACKED_DOT_MATMUL,
  DIRECT_MATMUL_INTEGER,
];

/** Operands `src`, `weights`, `srcZeroPoint` and `weightsZeroPoint` where the problem has them, and `dst` (int32). */
export function planMatMulInteger(
  problem: MatMulIntegerProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): Selection {
  return selectAlgorithm('MatMulInteger', MATMUL_INTEGER_ALGORITHMS, problem, target, options);
}
