/** Conv in float64, volumes and fused forms among them. */
import {
  convSum,
  makeConvProblem,
  makeResizeProblem,
  makeVolumeConvProblem,
  PLAIN_EPILOGUE,
  referenceConv,
  referenceResize,
  referenceVolumeConv,
  volumeConvSum,
} from '@onegpu/kernels';
import type { NodeContext, ReferenceOutput } from '../op-definition.ts';
import { fullDstDims } from './conv-full.ts';
import {
  addsUpsampled,
  COARSE,
  convRequestOf,
  GATE,
  hasShortcut,
  isGated,
  isVolume,
  SCALES,
  SHORTCUT,
  SHORTCUT_WEIGHTS,
} from './conv-request.ts';
import { requireConstant, requireInput } from './host-input.ts';
import { floatsOf, optionalFloatsOf, squares, sums, walkOf } from './reference.ts';

export function convReference(context: NodeContext): readonly ReferenceOutput[] {
  const bias = optionalFloatsOf(context, 2);
  const residual = upsampledOf(context);
  const epilogue = { ...PLAIN_EPILOGUE, bias: bias !== undefined, residual: residual !== undefined };
  const request = convRequestOf(context, epilogue);
  const operands = {
    ...{ src: gatedSource(context), weights: floatsOf(context, 1), bias, residual },
    ...(hasShortcut(context)
      ? { shortcutSrc: floatsOf(context, SHORTCUT), shortcutWeights: floatsOf(context, SHORTCUT_WEIGHTS) }
      : {}),
  };
  const squared = {
    src: squares(operands.src),
    weights: squares(operands.weights),
    bias: squares(bias),
    residual: residual?.map((value) => value * value),
    shortcutSrc: squares(operands.shortcutSrc),
    shortcutWeights: squares(operands.shortcutWeights),
  };
  const dims = fullDstDims(context);
  if (isVolume(context)) {
    const volume = makeVolumeConvProblem(request);
    const walk = (): number => walkOf(referenceVolumeConv(volume, squared));
    return [sums(dims, referenceVolumeConv(volume, operands), volumeConvSum(volume), walk)];
  }
  const problem = makeConvProblem({ ...request, layout: 'nchw' });
  const walk = (): number => walkOf(referenceConv(problem, squared));
  return [sums(dims, referenceConv(problem, operands), convSum(problem), walk)];
}

/** Input 0, times the gate where there is one. */
function gatedSource(context: NodeContext): Float32Array {
  const src = floatsOf(context, 0);
  if (!isGated(context)) return src;
  const gate = floatsOf(context, GATE);
  const plane = src.length / Math.max(gate.length, 1);
  return src.map((value, index) => value * (gate[Math.floor(index / plane)] ?? 0));
}

/** The coarser map at the extents of dst. */
function upsampledOf(context: NodeContext): Float64Array | undefined {
  if (!addsUpsampled(context)) return undefined;
  const scales = Array.from(requireConstant(context, SCALES).data as Float32Array);
  const sampling = { coordinates: 'asymmetric', nearest: 'floor' } as const;
  const problem = makeResizeProblem({ dims: requireInput(context, COARSE).dims, scales, sampling });
  return referenceResize(problem, floatsOf(context, COARSE));
}
