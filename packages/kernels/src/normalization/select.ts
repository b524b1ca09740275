/** Algorithms of the normalisations, in order of preference. */
import type { GpuCapabilities } from '@onegpu/core';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import { CHANNEL_AFFINE } from './channel-affine.ts';
import type { BatchNormProblem, RowNormProblem } from './problem.ts';
import { ROW_STATISTICS } from './row-statistics.ts';

export const BATCH_NORM_ALGORITHMS: readonly Algorithm<BatchNormProblem>[] = [CHANNEL_AFFINE];
export const ROW_NORM_ALGORITHMS: readonly Algorithm<RowNormProblem>[] = [ROW_STATISTICS];

/** Operands `src`, `scale`, `bias`, `mean`, `variance` and `dst`. */
export function planBatchNorm(
  problem: BatchNormProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): Selection {
  return selectAlgorithm('BatchNormalization', BATCH_NORM_ALGORITHMS, problem, target, options);
}

/** Operands `src`, `scale`, `bias` (where the problem has one), `dst` and the problem's statistics, row-major. */
export function planRowNorm(
  problem: RowNormProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): Selection {
  const name = problem.operation === 'instance-norm' ? 'InstanceNormalization' : 'LayerNormalization';
  return selectAlgorithm(name, ROW_NORM_ALGORITHMS, problem, target, options);
}
