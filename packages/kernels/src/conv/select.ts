/** The ordered list of convolution algorithms, and the choice among them. */
import type { GpuCapabilities } from '@onegpu/core';
import { type Algorithm, type KernelOptions, type Selection, selectAlgorithm } from '../shared/algorithm.ts';
import type { SumTolerance } from '../shared/tolerance.ts';
import { convertedPlanesOf } from './converted-planes.ts';
import { depthwise } from './depthwise.ts';
import { depthwisePatch } from './depthwise-patch.ts';
import { direct } from './direct.ts';
import { im2col } from './im2col.ts';
import { implicitGemm, splitK } from './implicit-gemm.ts';
import type { ConvProblem } from './problem.ts';
import { registerTile, singlePixel } from './register-tile.ts';
import { separateShortcutOf } from './separate-shortcut.ts';
import { winograd, winograd2x2, winogradVariant } from './winograd.ts';
import { tileGrid } from './winograd-rule.ts';

export const convAlgorithms: readonly Algorithm<ConvProblem>[] = [
  depthwisePatch,
  depthwise,
  singlePixel,
  registerTile,
  winograd,
  winograd2x2,
  implicitGemm,
  splitK,
  im2col,
  direct,
];

/** For convolutions with a shortcut: the two one after the other, and those that read a second source. */
export const shortcutAlgorithms: readonly Algorithm<ConvProblem>[] = [
  separateShortcutOf(selectConv, [implicitGemm, splitK]),
  implicitGemm,
  splitK,
];

/** For convolutions that read planes: those that do, and any other after a change of layout. */
export const planarAlgorithms: readonly Algorithm<ConvProblem>[] = [
  implicitGemm,
  splitK,
  convertedPlanesOf(selectConv),
];

/** The list for this kind of problem. */
export function convAlgorithmsOf({ shortcut, planes }: ConvProblem): readonly Algorithm<ConvProblem>[] {
  if (shortcut !== undefined) return shortcutAlgorithms;
  return planes ? planarAlgorithms : convAlgorithms;
}

/** Those that give the same numbers as float64 where every sum is exact in float32. */
export const exactConvAlgorithms = convAlgorithms.filter(({ sums }) => sums !== 'transformed');

/** What the bound of a convolution depends on beside its terms, by the label of one of its dispatches. */
export function boundOfConv(label: string): Pick<SumTolerance, 'transformed'> | undefined {
  const [operator, algorithm] = label.split('/');
  return operator === 'conv' ? convAlgorithms.find(({ name }) => name === algorithm)?.bound : undefined;
}

/** @throws GpuKernelShapeError when the algorithm asked for cannot take the problem. */
export function selectConv(problem: ConvProblem, target: GpuCapabilities, options: KernelOptions): Selection {
  return selectAlgorithm('Conv', convAlgorithmsOf(problem), problem, target, options);
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

/** Bytes of scratch that a variant takes; 0 where it needs none. */
export interface ConvScratch {
  readonly algorithm: string;
  /** For the whole batch at once, or for the largest chunk that is worth making. */
  readonly batch: number;
  /** For one image at once. */
  readonly image: number;
  /** The fewest it runs with: one output pixel, or tile of them, at a time. */
  readonly least: number;
}

/**
 * What scratch the variant needs. Any number of bytes from `least` on may be given as `KernelOptions.scratchBytes`: the
 * plan then asks for no more, works in chunks and gives the same bits.
 */
export function convScratch(
  problem: ConvProblem,
  target: GpuCapabilities,
  { mode, algorithm: wanted }: KernelOptions,
): ConvScratch {
  const { algorithm, plan } = selectConv(problem, target, {
    mode,
    ...(wanted === undefined ? {} : { algorithm: wanted }),
  });
  const batch = plan.scratch.reduce((sum, { bytes }) => sum + bytes, 0);
  const least = plan.scratch.reduce((sum, { bytes, least = bytes }) => sum + least, 0);
  const variant = winogradVariant(algorithm);
  const pixels = problem.oh * problem.ow;
  const units = variant === undefined ? pixels : tileGrid({ ...problem, batch: 1 }, variant).tiles;
  return { algorithm, batch, image: least * units, least };
}
