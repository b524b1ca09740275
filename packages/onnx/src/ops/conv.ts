/**
 * Conv: one to three spatial axes. One and two run channels last wherever the session may choose, volumes as they lie;
 * weights are packed at load when they are constant. https://onnx.ai/onnx/operators/onnx__Conv.html
 */
import {
  type ConvRequest,
  convAlgorithmsOf,
  convSum,
  type Epilogue,
  makeConvProblem,
  makeResizeProblem,
  makeVolumeConvProblem,
  misfit,
  PLAIN_EPILOGUE,
  referenceConv,
  referenceResize,
  referenceVolumeConv,
  selectConv,
  selectVolumeConv,
  tunableLayer,
  volumeConvDstDims,
  volumeConvSum,
} from '@onegpu/kernels';
import { notBuilt } from '../not-built.ts';
import type {
  LowerContext,
  Lowering,
  NodeContext,
  OperatorDefinition,
  ReferenceOutput,
  ValueInfo,
} from '../op-definition.ts';
import { GATED_CONV } from '../passes/gate-into-conv.ts';
import { PLANAR_CONV } from '../passes/planes-into-conv.ts';
import { SHORTCUT_CONV } from '../passes/shortcut-into-conv.ts';
import { UPSAMPLE_SUM_CONV, wholeFactors } from '../passes/upsample-into-conv.ts';
import { requireConstant, requireInput } from './host-input.ts';
import { kernelOptions, loweringOf } from './kernel-lowering.ts';
import { floatsOf, optionalFloatsOf, squares, sums, walkOf } from './reference.ts';
import { RESIZE_ATTRIBUTES } from './resize.ts';
import { CONV_ATTRIBUTES, readWindow } from './window-attributes.ts';

const conv: OperatorDefinition = {
  opType: 'Conv',
  domain: '',
  opsets: [1, 28],
  arity: [2, 3],
  attributes: CONV_ATTRIBUTES,
  infer: (context) => [{ type: requireInput(context, 0).type, dims: dstDims(context) }],
  layouts: (context) => {
    const layout = isVolume(context) ? 'nchw' : 'nhwc4';
    return { inputs: context.inputs.map((_, index) => (index === 0 ? layout : 'nchw')), outputs: [layout] };
  },
  lower: lowerConv,
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

export const CONV_OPERATORS: readonly OperatorDefinition[] = [
  conv,
  gatedConv,
  shortcutConv,
  upsampleSumConv,
  planarConv,
];

/** Position of the gate of a GatedConv. */
const GATE = 3;

/** Positions of the second source of a ShortcutConv and of its weights. */
const SHORTCUT = 3;
const SHORTCUT_WEIGHTS = 4;

/** Positions of the coarser map of an UpsampleSumConv and of its scales. */
const COARSE = 3;
const SCALES = 4;

function addsUpsampled(context: NodeContext): boolean {
  return context.node.opType === UPSAMPLE_SUM_CONV;
}

/** The epilogue with the coarser map as its residual, where there is one. */
function epilogueOf(context: NodeContext, epilogue: Epilogue): Epilogue {
  if (!addsUpsampled(context)) return epilogue;
  const factors = wholeFactors(requireConstant(context, SCALES).data as Float32Array) ?? [1, 1];
  return {
    ...epilogue,
    residual: true,
    upsample: { factors, channels: requireInput(context, 1).dims[0] ?? 0 },
  };
}

/** The coarser map at the extents of dst. */
function upsampledOf(context: NodeContext): Float64Array | undefined {
  if (!addsUpsampled(context)) return undefined;
  const scales = Array.from(requireConstant(context, SCALES).data as Float32Array);
  const sampling = { coordinates: 'asymmetric', nearest: 'floor' } as const;
  const problem = makeResizeProblem({ dims: requireInput(context, COARSE).dims, scales, sampling });
  return referenceResize(problem, floatsOf(context, COARSE));
}

function hasShortcut(context: NodeContext): boolean {
  return context.node.opType === SHORTCUT_CONV;
}

function isGated(context: NodeContext): boolean {
  return context.node.opType === GATED_CONV;
}

function isVolume(context: NodeContext): boolean {
  return context.inputs[0]?.dims.length === 5;
}

function dstDims(context: NodeContext): readonly number[] {
  // The shortcut may be of other extents: then `splitShortcut` takes the node apart.
  const request = { ...requestOf(context, PLAIN_EPILOGUE), shortcut: undefined };
  if (isVolume(context)) return volumeConvDstDims(makeVolumeConvProblem(request));
  const { batch, oc, oh, ow } = makeConvProblem({ ...request, layout: 'nchw' });
  return request.src.length === 3 ? [batch, oc, ow] : [batch, oc, oh, ow];
}

export function convReference(context: NodeContext): readonly ReferenceOutput[] {
  const bias = optionalFloatsOf(context, 2);
  const residual = upsampledOf(context);
  const epilogue = { ...PLAIN_EPILOGUE, bias: bias !== undefined, residual: residual !== undefined };
  const request = requestOf(context, epilogue);
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
  const dims = dstDims(context);
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

function lowerConv(context: LowerContext): Lowering {
  const { capabilities, activation, residual } = context;
  const bias = context.inputs[2] !== undefined;
  const request = requestOf(context, epilogueOf(context, { bias, residual, activation }));
  const options = kernelOptions(context);
  const layout = context.layouts.outputs[0] ?? 'nchw';
  const operands = {
    weights: { input: 1 },
    ...(bias ? { bias: { input: 2 } } : {}),
    ...(isGated(context) ? { gate: { input: GATE } } : {}),
    ...(addsUpsampled(context) ? { residual: { input: COARSE } } : {}),
    ...(hasShortcut(context)
      ? { shortcutSrc: { input: SHORTCUT }, shortcutWeights: { input: SHORTCUT_WEIGHTS } }
      : {}),
  };
  if (isVolume(context)) {
    const selection = selectVolumeConv(makeVolumeConvProblem(request), capabilities, options);
    return loweringOf(context, selection, operands);
  }
  const problem = makeConvProblem({ ...request, layout });
  return {
    ...loweringOf(context, selectConv(problem, capabilities, options), operands),
    layer: tunableLayer('conv', convAlgorithmsOf(problem), problem, capabilities),
  };
}

function requestOf(context: NodeContext, epilogue: Epilogue): Omit<ConvRequest, 'layout'> {
  const { attributes, inputs } = context;
  const src = floatInput(inputs[0], 'X');
  const weights = floatInput(inputs[1], 'W');
  if (src.dims.length > 5) {
    throw notBuilt('Conv', 'X', src.dims, 'at most three spatial axes');
  }
  const kernel = attributes.ints('kernel_shape');
  if (kernel !== undefined && String(kernel) !== String(weights.dims.slice(2))) {
    throw misfit('Conv', 'kernel_shape', kernel, `[${weights.dims.slice(2).join(', ')}], as the weights`);
  }
  const bias = inputs[2];
  if (bias !== undefined && (bias.dims.length !== 1 || bias.dims[0] !== weights.dims[0])) {
    throw misfit('Conv', 'B', bias.dims, `[${weights.dims[0]}]`);
  }
  return {
    src: src.dims,
    weights: weights.dims,
    groups: attributes.int('group', 1),
    ...readWindow(attributes),
    epilogue,
    gate: isGated(context),
    planes: context.node.opType === PLANAR_CONV,
    shortcut: hasShortcut(context)
      ? {
          src: floatInput(inputs[SHORTCUT], 'X2').dims,
          weights: floatInput(inputs[SHORTCUT_WEIGHTS], 'W2').dims,
          strides: attributes.ints('shortcut_strides'),
        }
      : undefined,
    weightsType: weights.type === 'float16' ? 'float16' : 'float32',
    weightsConstant: weights.constant !== undefined && (bias === undefined || bias.constant !== undefined),
  };
}

function floatInput(value: ValueInfo | undefined, field: string): ValueInfo {
  if (value === undefined) throw misfit('Conv', field, 'nothing', 'float32');
  if (value.type === 'float32' || value.type === 'float16') return value;
  throw notBuilt('Conv', field, value.type, 'float32 or float16');
}
