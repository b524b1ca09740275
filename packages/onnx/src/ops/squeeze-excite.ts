/**
 * SqueezeExcite, which fusion makes (`onegpu` domain): the mean of each channel, a product with its activation
 * (attribute `hidden_activation`), a second product with the epilogue's. Inputs: X [N, C, H, W], W1 [hidden, C, 1, 1],
 * B1 or none, W2 [outputs, hidden, 1, 1], B2 or none; output [N, outputs, 1, 1].
 */
import {
  makeSqueezeExciteProblem,
  planSqueezeExcite,
  referenceSqueezeExcite,
  type SqueezeExciteProblem,
} from '@onegpu/kernels';
import { SQUEEZE_EXCITE } from '../fused-operators.ts';
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

const squeezeExcite: OperatorDefinition = {
  opType: SQUEEZE_EXCITE,
  domain: 'onegpu',
  opsets: [1, 28],
  arity: [5, 5],
  attributes: ['hidden_activation'],
  infer: (context) => [{ type: requireInput(context, 0).type, dims: dstDims(problemOf(context, [])) }],
  layouts: (context) => ({
    inputs: context.inputs.map((_, index) => (index === 0 ? 'nhwc4' : 'nchw')),
    outputs: ['nhwc4'],
  }),
  lower,
};

export const SQUEEZE_EXCITE_OPERATORS: readonly OperatorDefinition[] = [squeezeExcite];

export function squeezeExciteReference(context: NodeContext): readonly ReferenceOutput[] {
  const problem = problemOf(context, []);
  const values = referenceSqueezeExcite(problem, {
    src: floatsOf(context, 0),
    squeezeWeights: floatsOf(context, 1),
    squeezeBias: optionalFloatsOf(context, 2),
    exciteWeights: floatsOf(context, 3),
    exciteBias: optionalFloatsOf(context, 4),
  });
  const terms = problem.height * problem.width + problem.channels + problem.hidden;
  return [sums(dstDims(problem), values, { terms })];
}

function dstDims({ batch, outputs }: SqueezeExciteProblem): readonly number[] {
  return [batch, outputs, 1, 1];
}

function lower(context: LowerContext): Lowering {
  const problem = problemOf(context, context.activation);
  const selection = planSqueezeExcite(problem, context.capabilities, kernelOptions(context));
  return loweringOf(context, selection, {
    squeezeWeights: { input: 1 },
    ...(problem.squeezeBias ? { squeezeBias: { input: 2 } } : {}),
    exciteWeights: { input: 3 },
    ...(problem.exciteBias ? { exciteBias: { input: 4 } } : {}),
  });
}

function problemOf(context: NodeContext, activation: LowerContext['activation']): SqueezeExciteProblem {
  const { inputs, attributes } = context;
  return makeSqueezeExciteProblem({
    src: requireInput(context, 0).dims,
    squeezeWeights: requireInput(context, 1).dims,
    exciteWeights: requireInput(context, 3).dims,
    squeezeBias: inputs[2] !== undefined,
    exciteBias: inputs[4] !== undefined,
    hiddenActivation: attributes.activation('hidden_activation'),
    activation,
    weightsConstant: inputs.slice(1).every((input) => input === undefined || input.constant !== undefined),
  });
}
