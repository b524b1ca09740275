/** The ordered list of convolution algorithms, and the choice among them. */
import type { GpuCapabilities, ScratchSpec } from '@onegpu/core';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import { depthwise } from './depthwise.ts';
import { direct } from './direct.ts';
import { im2col } from './im2col.ts';
import { implicitGemm, slicedGemm, splitK } from './implicit-gemm.ts';
import type { ConvProblem } from './problem.ts';
import { registerTile, singlePixel } from './register-tile.ts';

export const convAlgorithms: readonly Algorithm<ConvProblem>[] = [
  depthwise,
  singlePixel,
  registerTile,
  implicitGemm,
  splitK,
  slicedGemm,
  im2col,
  direct,
];

/** @throws GpuKernelShapeError when the algorithm asked for cannot take the problem. */
export function selectConv(problem: ConvProblem, target: GpuCapabilities, options: KernelOptions): Selection {
  return selectAlgorithm('Conv', convAlgorithms, problem, target, options);
}

/** Label of the variant that runs, and why each one before it was refused. */
export function describeVariant(
  problem: ConvProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): Pick<Selection, 'algorithm' | 'refused'> & { readonly label: string } {
  const { algorithm, refused, plan } = selectConv(problem, target, options);
  return { algorithm, refused, label: plan.label };
}

/** Scratch the variant needs for the whole batch. */
export function convScratch(
  problem: ConvProblem,
  target: GpuCapabilities,
  options: KernelOptions,
): readonly ScratchSpec[] {
  return selectConv(problem, target, options).plan.scratch;
}
