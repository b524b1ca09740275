/**
 * ConvTranspose of one or two spatial axes. Versions 1, 11 and 22 differ in types and wording only. Volumes:
 * `conv-transpose-full.ts`. https://onnx.ai/onnx/operators/onnx__ConvTranspose.html
 */
import { defaultCapabilities } from '@onegpu/core';
import {
  type Algorithm,
  CORE_CONV_TRANSPOSE_ALGORITHMS,
  type ConvTransposeProblem,
  convTransposeDstLayout,
  PLAIN_EPILOGUE,
  preferredConvTransposeLayout,
  selectAlgorithm,
  tunableLayer,
} from '@onegpu/kernels/core';
import type { AttributeReader } from '../attributes.ts';
import type {
  GpuOperatorDefinition,
  LayoutChoice,
  LowerContext,
  Lowering,
  NodeContext,
  OperatorDefinition,
} from '../op-definition.ts';
import { convOperands } from './conv.ts';
import { refuseVolume } from './conv-request.ts';
import { convTransposeProblemOf } from './conv-transpose-request.ts';
import { requireInput } from './host-input.ts';
import { kernelOptions, loweringOf } from './kernel-lowering.ts';
import { CONV_ATTRIBUTES } from './window-attributes.ts';

type Algorithms = readonly Algorithm<ConvTransposeProblem>[];

export const CONV_TRANSPOSE_OPERATORS: readonly OperatorDefinition[] = [
  imageConvTranspose(CORE_CONV_TRANSPOSE_ALGORITHMS),
];

/** Of images, by these algorithms. */
export function imageConvTranspose(algorithms: Algorithms): GpuOperatorDefinition {
  return {
    opType: 'ConvTranspose',
    domain: '',
    opsets: [1, 28],
    arity: [2, 3],
    attributes: [...CONV_ATTRIBUTES, 'output_padding', 'output_shape'],
    check,
    infer: (context) => [{ type: requireInput(context, 0).type, dims: dstDims(context) }],
    layouts: (context) => layouts(context, algorithms),
    lower: (context) => lower(context, algorithms),
  };
}

/** Window attributes tell the rank where they are present. */
function check(_node: unknown, attributes: AttributeReader): string | undefined {
  const axes = attributes.ints('kernel_shape')?.length ?? attributes.ints('strides')?.length ?? 1;
  return axes > 3 ? `${axes} spatial axes; one, two and three are built` : undefined;
}

/** @throws NotBuiltError for volumes */
function dstDims(context: NodeContext): readonly number[] {
  refuseVolume(context);
  return convTransposeProblemOf(context, 'nchw', PLAIN_EPILOGUE).dstDims;
}

function layouts(context: NodeContext, algorithms: Algorithms): LayoutChoice {
  const target = defaultCapabilities();
  const problem = convTransposeProblemOf(context, 'nhwc4', PLAIN_EPILOGUE);
  const layout = preferredConvTransposeLayout(problem, target, algorithms);
  const dst = convTransposeDstLayout(convTransposeProblemOf(context, layout, PLAIN_EPILOGUE), target);
  return { inputs: context.inputs.map((_, index) => (index === 0 ? layout : 'nchw')), outputs: [dst] };
}

function lower(context: LowerContext, algorithms: Algorithms): Lowering {
  const { capabilities } = context;
  const [layout = 'nchw'] = context.layouts.inputs;
  const [dstLayout] = context.layouts.outputs;
  const problem = convTransposeProblemOf(context, layout, context, dstLayout);
  const options = kernelOptions(context);
  const selection = selectAlgorithm('conv-transpose', algorithms, problem, capabilities, options);
  return {
    ...loweringOf(context, selection, convOperands(context)),
    layer: tunableLayer('conv-transpose', algorithms, problem, capabilities),
  };
}
