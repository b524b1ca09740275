/** The order in which transposed convolution algorithms for volumes are asked. */
import type { GpuCapabilities } from '@onegpu/core';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import { volumeTransposeDirect } from './direct.ts';
import { volumeGemmCol2im } from './gemm-col2im.ts';
import type { VolumeConvTransposeProblem } from './problem.ts';

export const VOLUME_CONV_TRANSPOSE_ALGORITHMS: readonly Algorithm<VolumeConvTransposeProblem>[] = [
  volumeGemmCol2im,
  volumeTransposeDirect,
];

/** @throws GpuKernelShapeError when the algorithm asked for cannot run here. */
export function selectVolumeConvTranspose(
  problem: VolumeConvTransposeProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): Selection {
  return selectAlgorithm('conv-transpose', VOLUME_CONV_TRANSPOSE_ALGORITHMS, problem, target, options);
}
