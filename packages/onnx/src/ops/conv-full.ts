/**
 * Conv with all that is built of it: volumes, which run as they lie, every algorithm, and what fusions for hardware
 * adapters make of convolutions. Takes the place of the definition in `conv.ts`; `extension.ts`.
 */
import {
  convAlgorithmsOf,
  type Epilogue,
  makeVolumeConvProblem,
  PLAIN_EPILOGUE,
  selectVolumeConv,
  volumeConvDstDims,
} from '@onegpu/kernels';
import { GATED_CONV, PLANAR_CONV, SHORTCUT_CONV, UPSAMPLE_SUM_CONV } from '../fused-operators.ts';
import type {
  LayoutChoice,
  LowerContext,
  Lowering,
  NodeContext,
  OperandSource,
  OperatorDefinition,
} from '../op-definition.ts';
import { wholeFactors } from '../passes/upsample-into-conv.ts';
import { convDstDims, convOperands, epilogueOf, imageConv, lowerConv } from './conv.ts';
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
import { kernelOptions, loweringOf } from './kernel-lowering.ts';
import { RESIZE_ATTRIBUTES } from './resize.ts';

const conv: OperatorDefinition = {
  ...imageConv,
  infer: (context) => [{ type: requireInput(context, 0).type, dims: fullDstDims(context) }],
  layouts: (context, available) =>
    isVolume(context) ? denseLayouts(context) : imageConv.layouts(context, available),
  lower: (context) => (isVolume(context) ? lowerVolume(context) : lowerFused(context)),
};

/** Conv whose X is multiplied by input 3, [N, C, 1, 1], as it is read; fusion makes it (`gate-into-conv`). */
const gatedConv: OperatorDefinition = {
  ...conv,
  opType: GATED_CONV,
  domain: 'onegpu',
  arity: [4, 4],
  layouts: () => ({ inputs: ['nhwc4', 'nchw', 'nchw', 'nhwc4'], outputs: ['nhwc4'] }),
};

/** Conv plus a 1x1 Conv of inputs 3 and 4 by `shortcut_strides`; fusion makes it (`shortcut-into-conv`). */
const shortcutConv: OperatorDefinition = {
  ...conv,
  opType: SHORTCUT_CONV,
  domain: 'onegpu',
  arity: [5, 5],
  attributes: [...conv.attributes, 'shortcut_strides'],
  layouts: () => ({ inputs: ['nhwc4', 'nchw', 'nchw', 'nhwc4', 'nchw'], outputs: ['nhwc4'] }),
};

/** Conv plus input 3 resized by the scales of input 4; fusion makes it (`upsample-into-conv`). */
const upsampleSumConv: OperatorDefinition = {
  ...conv,
  opType: UPSAMPLE_SUM_CONV,
  domain: 'onegpu',
  opsets: [11, 28],
  arity: [5, 5],
  attributes: [...conv.attributes, ...RESIZE_ATTRIBUTES],
  layouts: () => ({ inputs: ['nhwc4', 'nchw', 'nchw', 'nhwc4', 'nchw'], outputs: ['nhwc4'] }),
};

/** Conv of few channels that lie in planes; fusion makes it (`planes-into-conv`). */
const planarConv: OperatorDefinition = {
  ...conv,
  opType: PLANAR_CONV,
  domain: 'onegpu',
  layouts: (context) => ({ inputs: context.inputs.map(() => 'nchw'), outputs: ['nhwc4'] }),
};

export const FULL_CONV_OPERATORS: readonly OperatorDefinition[] = [
  conv,
  gatedConv,
  shortcutConv,
  upsampleSumConv,
  planarConv,
];

/** Of images and volumes. */
export function fullDstDims(context: NodeContext): readonly number[] {
  if (!isVolume(context)) return convDstDims(context);
  return volumeConvDstDims(makeVolumeConvProblem(convRequestOf(context, PLAIN_EPILOGUE)));
}

/** As volumes lie. */
export function denseLayouts(context: NodeContext): LayoutChoice {
  return { inputs: context.inputs.map(() => 'nchw'), outputs: ['nchw'] };
}

function lowerVolume(context: LowerContext): Lowering {
  const problem = makeVolumeConvProblem(convRequestOf(context, epilogueOf(context)));
  const selection = selectVolumeConv(problem, context.capabilities, kernelOptions(context));
  return loweringOf(context, selection, convOperands(context));
}

/** Of images, by what fusion made of the node. */
function lowerFused(context: LowerContext): Lowering {
  const operands: Record<string, OperandSource> = {};
  if (isGated(context)) operands.gate = { input: GATE };
  if (addsUpsampled(context)) operands.residual = { input: COARSE };
  if (hasShortcut(context)) {
    operands.shortcutSrc = { input: SHORTCUT };
    operands.shortcutWeights = { input: SHORTCUT_WEIGHTS };
  }
  return lowerConv(context, { algorithmsOf: convAlgorithmsOf, epilogue: fusedEpilogue(context), operands });
}

/** With the coarser map as its residual, where there is one. */
function fusedEpilogue(context: LowerContext): Epilogue {
  const epilogue = epilogueOf(context);
  if (!addsUpsampled(context)) return epilogue;
  const factors = wholeFactors(requireConstant(context, SCALES).data as Float32Array) ?? [1, 1];
  return {
    ...epilogue,
    residual: true,
    upsample: { factors, channels: requireInput(context, 1).dims[0] ?? 0 },
  };
}
