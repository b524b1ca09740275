/**
 * Conv of one or two spatial axes, channels last wherever the session may choose; weights are packed at load when they
 * are constant. Volumes and fused forms: `conv-full.ts`. https://onnx.ai/onnx/operators/onnx__Conv.html
 */
import {
  type Algorithm,
  CORE_CONV_ALGORITHMS,
  type ConvProblem,
  type Epilogue,
  makeConvProblem,
  PLAIN_EPILOGUE,
  selectAlgorithm,
  tunableLayer,
} from '@onegpu/kernels/core';
import type {
  GpuOperatorDefinition,
  LayoutChoice,
  LowerContext,
  Lowering,
  NodeContext,
  OperandSource,
  OperatorDefinition,
} from '../op-definition.ts';
import { convRequestOf, refuseVolume } from './conv-request.ts';
import { requireInput } from './host-input.ts';
import { kernelOptions, loweringOf } from './kernel-lowering.ts';
import { CONV_ATTRIBUTES } from './window-attributes.ts';

export const imageConv: GpuOperatorDefinition = {
  opType: 'Conv',
  domain: '',
  opsets: [1, 28],
  arity: [2, 3],
  attributes: CONV_ATTRIBUTES,
  infer: (context) => [{ type: requireInput(context, 0).type, dims: convDstDims(context) }],
  layouts: imageLayouts,
  lower: (context) =>
    lowerConv(context, { algorithmsOf: () => CORE_CONV_ALGORITHMS, epilogue: epilogueOf(context) }),
};

export const CONV_OPERATORS: readonly OperatorDefinition[] = [imageConv];

/** @throws NotBuiltError for volumes */
export function convDstDims(context: NodeContext): readonly number[] {
  refuseVolume(context);
  // A shortcut may be of other extents: then `splitShortcut` takes the node apart.
  const request = { ...convRequestOf(context, PLAIN_EPILOGUE), shortcut: undefined };
  const { batch, oc, oh, ow } = makeConvProblem({ ...request, layout: 'nchw' });
  return request.src.length === 3 ? [batch, oc, ow] : [batch, oc, oh, ow];
}

function imageLayouts(context: NodeContext): LayoutChoice {
  return {
    inputs: context.inputs.map((_, index) => (index === 0 ? 'nhwc4' : 'nchw')),
    outputs: ['nhwc4'],
  };
}

/** What is behind the sum of a node: bias, the residual and the steps that fusion gave it. */
export function epilogueOf({ inputs, residual, activation }: LowerContext): Epilogue {
  return { bias: inputs[2] !== undefined, residual, activation };
}

/** A convolution of images by one of the algorithms; `operands` beside its weights and its bias. */
export function lowerConv(
  context: LowerContext,
  form: {
    readonly algorithmsOf: (problem: ConvProblem) => readonly Algorithm<ConvProblem>[];
    readonly epilogue: Epilogue;
    readonly operands?: Readonly<Record<string, OperandSource>>;
  },
): Lowering {
  const { capabilities } = context;
  const problem = makeConvProblem({
    ...convRequestOf(context, form.epilogue),
    layout: context.layouts.outputs[0] ?? 'nchw',
  });
  const algorithms = form.algorithmsOf(problem);
  const selection = selectAlgorithm('Conv', algorithms, problem, capabilities, kernelOptions(context));
  return {
    ...loweringOf(context, selection, {
      ...convOperands(context),
      ...form.operands,
    }),
    layer: tunableLayer('conv', algorithms, problem, capabilities),
  };
}

/** Weights, and bias where there is one. */
export function convOperands({ inputs }: NodeContext): Readonly<Record<string, OperandSource>> {
  return { weights: { input: 1 }, ...(inputs[2] === undefined ? {} : { bias: { input: 2 } }) };
}
