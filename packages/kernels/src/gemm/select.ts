/** The order in which matrix algorithms are asked; `direct` is last and takes everything. */
import type { GpuCapabilities } from '@onegpu/core';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import { direct } from './direct.ts';
import type { GemmProblem } from './problem.ts';
import { gemv, registerTile } from './register-tile.ts';
import { gemvSliced, rowsSliced, tiled } from './tiled.ts';

export const GEMM_ALGORITHMS: readonly Algorithm<GemmProblem>[] = [
  gemvSliced,
  rowsSliced,
  tiled,
  gemv,
  registerTile,
  direct,
];

/** @throws GpuKernelShapeError when the algorithm asked for cannot run here. */
export function selectGemm(
  problem: GemmProblem,
  target: GpuCapabilities,
  options: KernelOptions = { mode: 'fast' },
): Selection {
  return selectAlgorithm(problem.operator, GEMM_ALGORITHMS, problem, target, options);
}
