/**
 * ConvTranspose: one to three spatial axes. Versions 1, 11 and 22 differ in types and wording only.
 * https://onnx.ai/onnx/operators/onnx__ConvTranspose.html
 */
import { defaultCapabilities } from '@onegpu/core';
import {
  CONV_TRANSPOSE_ALGORITHMS,
  type ConvTransposeProblem,
  convTransposeDstLayout,
  convTransposeReference,
  convTransposeSum,
  type Epilogue,
  type Layout,
  makeConvTransposeProblem,
  makeVolumeConvTransposeProblem,
  misfit,
  PLAIN_EPILOGUE,
  preferredConvTransposeLayout,
  referenceVolumeConvTranspose,
  selectConvTranspose,
  selectVolumeConvTranspose,
  tunableLayer,
  type VolumeConvTransposeProblem,
  volumeConvTransposeSum,
} from '@onegpu/kernels';
import type { AttributeReader } from '../attributes.ts';
import { notBuilt } from '../not-built.ts';
import type {
  LowerContext,
  Lowering,
  NodeContext,
  OperatorDefinition,
  ReferenceOutput,
} from '../op-definition.ts';
import { floatInput, optionalFloatInput } from './float-operands.ts';
import { requireInput } from './host-input.ts';
import { kernelOptions, loweringOf } from './kernel-lowering.ts';
import { floatsOf, optionalFloatsOf, squares, sums, walkOf } from './reference.ts';
import { CONV_ATTRIBUTES, readWindow } from './window-attributes.ts';

/** Everything of the request but the layout; volumes leave `weightsConstant` unread. */
function optionsOf(context: NodeContext, epilogue: Pick<Epilogue, 'residual' | 'activation'>) {
  const { attributes } = context;
  const src = floatInput(context, 0);
  const weights = floatInput(context, 1);
  const bias = optionalFloatInput(context, 2);
  if (src.dims.length > 5) {
    throw notBuilt('ConvTranspose', 'X', src.dims, 'at most three spatial axes');
  }
  const kernel = attributes.ints('kernel_shape');
  if (kernel !== undefined && String(kernel) !== String(weights.dims.slice(2))) {
    throw misfit(
      `ConvTranspose "${context.node.name}"`,
      'kernel_shape',
      kernel,
      `[${weights.dims.slice(2).join(', ')}]`,
    );
  }
  return {
    srcDims: src.dims,
    weightsDims: weights.dims,
    biasDims: bias?.dims,
    groups: attributes.int('group', 1),
    ...readWindow(attributes),
    outputPadding: attributes.ints('output_padding'),
    outputShape: outputShape(attributes, src.dims.length),
    weightsConstant: weights.constant !== undefined && (bias === undefined || bias.constant !== undefined),
    residual: epilogue.residual,
    activation: epilogue.activation,
  };
}

function isVolume(context: NodeContext): boolean {
  return context.inputs[0]?.dims.length === 5;
}

function problemOf(
  context: NodeContext,
  layout: Layout,
  epilogue: Pick<Epilogue, 'residual' | 'activation'>,
  dstLayout = layout,
): ConvTransposeProblem {
  return makeConvTransposeProblem({ ...optionsOf(context, epilogue), layout, dstLayout });
}

function volumeOf(
  context: NodeContext,
  epilogue: Pick<Epilogue, 'residual' | 'activation'>,
): VolumeConvTransposeProblem {
  return makeVolumeConvTransposeProblem(optionsOf(context, epilogue));
}

/** Spatial extents; some exporters write batch and channels in front of them. */
function outputShape(attributes: AttributeReader, rank: number): readonly number[] | undefined {
  const shape = attributes.ints('output_shape');
  if (shape === undefined || shape.length === 0) return undefined;
  return shape.length === rank ? shape.slice(2) : shape;
}

/** Window attributes tell the rank where they are present. */
function check(_node: unknown, attributes: AttributeReader): string | undefined {
  const axes = attributes.ints('kernel_shape')?.length ?? attributes.ints('strides')?.length ?? 1;
  return axes > 3 ? `${axes} spatial axes; one, two and three are built` : undefined;
}

function lower(context: LowerContext): Lowering {
  const { capabilities } = context;
  const options = kernelOptions(context);
  const [layout = 'nchw'] = context.layouts.inputs;
  const [dstLayout] = context.layouts.outputs;
  const bias = context.inputs[2] !== undefined;
  const operands = { weights: { input: 1 }, ...(bias ? { bias: { input: 2 } } : {}) };
  if (isVolume(context)) {
    const selection = selectVolumeConvTranspose(volumeOf(context, context), capabilities, options);
    return loweringOf(context, selection, operands);
  }
  const problem = problemOf(context, layout, context, dstLayout);
  return {
    ...loweringOf(context, selectConvTranspose(problem, capabilities, options), operands),
    layer: tunableLayer('conv-transpose', CONV_TRANSPOSE_ALGORITHMS, problem, capabilities),
  };
}

function dstDims(context: NodeContext): readonly number[] {
  if (isVolume(context)) return volumeOf(context, PLAIN_EPILOGUE).dstDims;
  return problemOf(context, 'nchw', PLAIN_EPILOGUE).dstDims;
}

export function convTransposeReferenceOf(context: NodeContext): readonly ReferenceOutput[] {
  const operands = {
    src: floatsOf(context, 0),
    weights: floatsOf(context, 1),
    bias: optionalFloatsOf(context, 2),
  };
  const squared = {
    src: squares(operands.src),
    weights: squares(operands.weights),
    bias: squares(operands.bias),
  };
  if (isVolume(context)) {
    const volume = volumeOf(context, PLAIN_EPILOGUE);
    const values = referenceVolumeConvTranspose(volume, operands);
    const walk = (): number => walkOf(referenceVolumeConvTranspose(volume, squared));
    return [sums(volume.dstDims, values, volumeConvTransposeSum(volume), walk)];
  }
  const problem = problemOf(context, 'nchw', PLAIN_EPILOGUE);
  const values = convTransposeReference(problem, operands);
  const walk = (): number => walkOf(convTransposeReference(problem, squared));
  return [sums(problem.dstDims, values, convTransposeSum(problem), walk)];
}

const convTranspose: OperatorDefinition = {
  opType: 'ConvTranspose',
  domain: '',
  opsets: [1, 28],
  arity: [2, 3],
  attributes: [...CONV_ATTRIBUTES, 'output_padding', 'output_shape'],
  check,
  infer: (context) => [{ type: requireInput(context, 0).type, dims: dstDims(context) }],
  layouts(context) {
    if (isVolume(context)) return { inputs: context.inputs.map(() => 'nchw'), outputs: ['nchw'] };
    const problem = problemOf(context, 'nhwc4', PLAIN_EPILOGUE);
    const layout = preferredConvTransposeLayout(problem, defaultCapabilities());
    const dst = convTransposeDstLayout(problemOf(context, layout, PLAIN_EPILOGUE), defaultCapabilities());
    return { inputs: context.inputs.map((_, index) => (index === 0 ? layout : 'nchw')), outputs: [dst] };
  },
  lower,
};

export const CONV_TRANSPOSE_OPERATORS: readonly OperatorDefinition[] = [convTranspose];
