/**
 * MapExcite, which fusion makes (`onegpu` domain): ExpandDepthwise, and the SqueezeExcite of its result as output 1.
 * Inputs 0 to 4 and most attributes are those of ExpandDepthwise; inputs 5 to 8 are weights and biases, or none, of the
 * products of SqueezeExcite. `depthwise_activation` and `excite_activation` follow the two outputs.
 */
import {
  type MapExciteProblem,
  makeMapExciteProblem,
  makeSqueezeExciteProblem,
  planMapExcite,
  referenceConv,
  referenceSqueezeExcite,
} from '@onegpu/kernels';
import { MAP_EXCITE } from '../fused-operators.ts';
import type {
  LowerContext,
  Lowering,
  NodeContext,
  OperatorDefinition,
  ReferenceOutput,
} from '../op-definition.ts';
import { expandDepthwiseProblem } from './expand-depthwise.ts';
import { requireInput } from './host-input.ts';
import { kernelOptions, loweringOf } from './kernel-lowering.ts';
import { floatsOf, optionalFloatsOf, sums } from './reference.ts';
import { CONV_ATTRIBUTES } from './window-attributes.ts';

const mapExcite: OperatorDefinition = {
  opType: MAP_EXCITE,
  domain: 'onegpu',
  opsets: [1, 28],
  arity: [9, 9],
  attributes: [
    ...CONV_ATTRIBUTES,
    ...['depthwise_activation', 'excite_activation', 'expand_activation', 'hidden_activation'],
  ],
  infer: (context) => {
    const { type } = requireInput(context, 0);
    return dstDims(problemOf(context)).map((dims) => ({ type, dims }));
  },
  layouts: (context) => ({
    inputs: context.inputs.map((_, index) => (index === 0 ? 'nhwc4' : 'nchw')),
    outputs: ['nhwc4', 'nhwc4'],
  }),
  lower,
};

export const MAP_EXCITE_OPERATORS: readonly OperatorDefinition[] = [mapExcite];

export function mapExciteReference(context: NodeContext): readonly ReferenceOutput[] {
  const problem = problemOf(context);
  const { expand, depthwise, excite } = problem;
  const [mapDims = [], factorDims = []] = dstDims(problem);
  const wide = referenceConv(expand, {
    ...{ src: floatsOf(context, 0), weights: floatsOf(context, 1), bias: optionalFloatsOf(context, 2) },
  });
  const map = referenceConv(depthwise, {
    ...{ src: wide, weights: floatsOf(context, 3), bias: optionalFloatsOf(context, 4) },
  });
  const factors = referenceSqueezeExcite(excite, {
    ...{ src: map, squeezeWeights: floatsOf(context, 5), squeezeBias: optionalFloatsOf(context, 6) },
    ...{ exciteWeights: floatsOf(context, 7), exciteBias: optionalFloatsOf(context, 8) },
  });
  const terms = expand.ic + depthwise.kh * depthwise.kw;
  const behind = excite.height * excite.width + excite.channels + excite.hidden;
  return [sums(mapDims, map, { terms }), sums(factorDims, factors, { terms: terms + behind })];
}

function dstDims({ depthwise: { batch, oc, oh, ow }, excite }: MapExciteProblem): readonly number[][] {
  return [
    [batch, oc, oh, ow],
    [batch, excite.outputs, 1, 1],
  ];
}

function lower(context: LowerContext): Lowering {
  const problem = problemOf(context);
  const { expand, depthwise, excite } = problem;
  const selection = planMapExcite(problem, context.capabilities, kernelOptions(context));
  return loweringOf(context, selection, {
    expandWeights: { input: 1 },
    ...(expand.epilogue.bias ? { expandBias: { input: 2 } } : {}),
    weights: { input: 3 },
    ...(depthwise.epilogue.bias ? { bias: { input: 4 } } : {}),
    squeezeWeights: { input: 5 },
    ...(excite.squeezeBias ? { squeezeBias: { input: 6 } } : {}),
    exciteWeights: { input: 7 },
    ...(excite.exciteBias ? { exciteBias: { input: 8 } } : {}),
    factors: { output: 1 },
  });
}

function problemOf(context: NodeContext): MapExciteProblem {
  const { inputs, attributes } = context;
  const map = expandDepthwiseProblem(context, attributes.activation('depthwise_activation'));
  const { batch, oc, oh, ow } = map.depthwise;
  const excite = makeSqueezeExciteProblem({
    src: [batch, oc, oh, ow],
    squeezeWeights: requireInput(context, 5).dims,
    exciteWeights: requireInput(context, 7).dims,
    squeezeBias: inputs[6] !== undefined,
    exciteBias: inputs[8] !== undefined,
    hiddenActivation: attributes.activation('hidden_activation'),
    activation: attributes.activation('excite_activation'),
    weightsConstant: inputs.slice(5).every((input) => input === undefined || input.constant !== undefined),
  });
  return makeMapExciteProblem(map, excite);
}
