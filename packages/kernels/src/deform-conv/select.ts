/** The ordered list of deformable convolution algorithms, and the choice among them. */
import type { GpuCapabilities } from '@onegpu/core';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import { deformDirect } from './direct.ts';
import { deformIm2col } from './im2col.ts';
import type { DeformConvProblem } from './problem.ts';

export const DEFORM_CONV_ALGORITHMS: readonly Algorithm<DeformConvProblem>[] = [deformIm2col, deformDirect];

/** @throws GpuKernelShapeError when the algorithm asked for cannot take the problem. */
export function selectDeformConv(
  problem: DeformConvProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): Selection {
  return selectAlgorithm('DeformConv', DEFORM_CONV_ALGORITHMS, problem, target, options);
}
