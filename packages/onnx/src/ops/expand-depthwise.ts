/**
 * ExpandDepthwise, which fusion makes (`onegpu` domain): a 1x1 convolution with its activation (attribute
 * `expand_activation`), then a depthwise convolution of the node's other attributes. Inputs: X [N, C, H, W],
 * W1 [wide, C, 1, 1], B1 or none, W2 [wide, 1, kh, kw], B2 or none.
 */
import {
  convSum,
  type Epilogue,
  type ExpandDepthwiseProblem,
  makeExpandDepthwiseProblem,
  planExpandDepthwise,
  referenceConv,
} from '@onegpu/kernels';
import { EXPAND_DEPTHWISE } from '../fused-operators.ts';
import type {
  LowerContext,
  Lowering,
  NodeContext,
  OperatorDefinition,
  ReferenceOutput,
} from '../op-definition.ts';
import { requireInput } from './host-input.ts';
import { kernelOptions, loweringOf } from './kernel-lowering.ts';
import { floatsOf, optionalFloatsOf, sums } from './reference.ts';
import { CONV_ATTRIBUTES, readWindow } from './window-attributes.ts';

const expandDepthwise: OperatorDefinition = {
  opType: EXPAND_DEPTHWISE,
  domain: 'onegpu',
  opsets: [1, 28],
  arity: [5, 5],
  attributes: [...CONV_ATTRIBUTES, 'expand_activation'],
  infer: (context) => [
    { type: requireInput(context, 0).type, dims: dstDims(expandDepthwiseProblem(context, [])) },
  ],
  layouts: (context) => ({
    inputs: context.inputs.map((_, index) => (index === 0 ? 'nhwc4' : 'nchw')),
    outputs: ['nhwc4'],
  }),
  lower,
};

export const EXPAND_DEPTHWISE_OPERATORS: readonly OperatorDefinition[] = [expandDepthwise];

export function expandDepthwiseReference(context: NodeContext): readonly ReferenceOutput[] {
  const problem = expandDepthwiseProblem(context, []);
  const wide = referenceConv(problem.expand, {
    ...{ src: floatsOf(context, 0), weights: floatsOf(context, 1), bias: optionalFloatsOf(context, 2) },
  });
  const operands = { src: wide, weights: floatsOf(context, 3), bias: optionalFloatsOf(context, 4) };
  const { terms } = convSum(problem.expand);
  const sum = convSum(problem.depthwise);
  return [
    sums(dstDims(problem), referenceConv(problem.depthwise, operands), {
      ...sum,
      terms: sum.terms + terms,
    }),
  ];
}

function dstDims({ depthwise: { batch, oc, oh, ow } }: ExpandDepthwiseProblem): readonly number[] {
  return [batch, oc, oh, ow];
}

function lower(context: LowerContext): Lowering {
  const problem = expandDepthwiseProblem(context, context.activation);
  const selection = planExpandDepthwise(problem, context.capabilities, kernelOptions(context));
  return loweringOf(context, selection, {
    expandWeights: { input: 1 },
    ...(problem.expand.epilogue.bias ? { expandBias: { input: 2 } } : {}),
    weights: { input: 3 },
    ...(problem.depthwise.epilogue.bias ? { bias: { input: 4 } } : {}),
  });
}

/** The problem of inputs 0 to 4 and the attributes. */
export function expandDepthwiseProblem(
  context: NodeContext,
  activation: Epilogue['activation'],
): ExpandDepthwiseProblem {
  const { inputs, attributes } = context;
  const weightsConstant = inputs
    .slice(1, 5)
    .every((input) => input === undefined || input.constant !== undefined);
  const epilogueOf = (bias: number, steps: Epilogue['activation']): Epilogue => ({
    ...{ bias: inputs[bias] !== undefined, residual: false, activation: steps },
  });
  return makeExpandDepthwiseProblem({
    expand: {
      src: requireInput(context, 0).dims,
      weights: requireInput(context, 1).dims,
      epilogue: epilogueOf(2, attributes.activation('expand_activation')),
      weightsConstant,
    },
    depthwise: {
      weights: requireInput(context, 3).dims,
      ...readWindow(attributes),
      epilogue: epilogueOf(4, activation),
      weightsConstant,
    },
  });
}
