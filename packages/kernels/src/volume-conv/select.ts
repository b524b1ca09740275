/** The ordered list of convolution algorithms for volumes, and the choice among them. */
import type { GpuCapabilities } from '@onegpu/core';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import { volumeDirect } from './direct.ts';
import { volumeIm2col } from './im2col.ts';
import type { VolumeConvProblem } from './problem.ts';

export const VOLUME_CONV_ALGORITHMS: readonly Algorithm<VolumeConvProblem>[] = [volumeIm2col, volumeDirect];

/** @throws GpuKernelShapeError when the algorithm asked for cannot take the problem. */
export function selectVolumeConv(
  problem: VolumeConvProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): Selection {
  return selectAlgorithm('Conv', VOLUME_CONV_ALGORITHMS, problem, target, options);
}
