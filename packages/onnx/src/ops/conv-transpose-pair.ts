/**
 * ConvTransposePair, which fusion makes (`onegpu` domain): two transposed convolutions with kernel = stride, the second to
 * one channel. Inputs: X [N, C, H, W], W1 [C, mid, kh, kw], B1 or none, W2 [mid, 1, kh, kw], B2 or none; the first's
 * activation is the attribute `hidden_activation`.
 */
import {
  applyActivation,
  type ConvTransposePairProblem,
  convTransposeReference,
  makeConvTransposePairProblem,
  planConvTransposePair,
} from '@onegpu/kernels';
import { CONV_TRANSPOSE_PAIR } from '../fused-operators.ts';
import type {
  LowerContext,
  Lowering,
  NodeContext,
  OperatorDefinition,
  ReferenceOutput,
} from '../op-definition.ts';
import { dispatchOf } from './gpu-operands.ts';
import { requireInput } from './host-input.ts';
import { kernelOptions } from './kernel-lowering.ts';
import { floatsOf, optionalFloatsOf, sums } from './reference.ts';

const convTransposePair: OperatorDefinition = {
  opType: CONV_TRANSPOSE_PAIR,
  domain: 'onegpu',
  opsets: [1, 28],
  arity: [5, 5],
  attributes: ['hidden_activation'],
  infer: (context) => [{ type: requireInput(context, 0).type, dims: problemOf(context).second.dstDims }],
  layouts: (context) => ({
    inputs: context.inputs.map((_, index) => (index === 0 ? 'nhwc4' : 'nchw')),
    outputs: ['nchw'],
  }),
  lower,
};

export const CONV_TRANSPOSE_PAIR_OPERATORS: readonly OperatorDefinition[] = [convTransposePair];

export function convTransposePairReference(context: NodeContext): readonly ReferenceOutput[] {
  const { first, second } = problemOf(context);
  const firstOperands = { weights: floatsOf(context, 1), bias: optionalFloatsOf(context, 2) };
  const mid = convTransposeReference(first, { src: floatsOf(context, 0), ...firstOperands });
  const src = mid.map((sum) => applyActivation(first.epilogue.activation, sum));
  const operands = { src, weights: floatsOf(context, 3), bias: optionalFloatsOf(context, 4) };
  return [sums(second.dstDims, convTransposeReference(second, operands), { terms: first.ic + first.oc })];
}

function lower(context: LowerContext): Lowering {
  const problem = problemOf(context, context.activation);
  return dispatchOf(planConvTransposePair(problem, context.capabilities, kernelOptions(context)), {
    ...{ src: { input: 0 }, firstWeights: { input: 1 }, weights: { input: 3 }, dst: { output: 0 } },
    ...(problem.first.epilogue.bias ? { firstBias: { input: 2 } } : {}),
    ...(problem.second.epilogue.bias ? { bias: { input: 4 } } : {}),
  });
}

function problemOf(
  context: NodeContext,
  activation: LowerContext['activation'] = [],
): ConvTransposePairProblem {
  const { inputs, attributes } = context;
  return makeConvTransposePairProblem({
    srcDims: requireInput(context, 0).dims,
    firstWeightsDims: requireInput(context, 1).dims,
    firstBiasDims: inputs[2]?.dims,
    weightsDims: requireInput(context, 3).dims,
    biasDims: inputs[4]?.dims,
    hiddenActivation: attributes.activation('hidden_activation'),
    activation,
  });
}
