/**
 * Softmax and LogSoftmax. Before opset 13 the input counts as a matrix, all axes from `axis` (default 1) on in one
 * row; from 13 on only `axis` (default the last) is normalised.
 * https://onnx.ai/onnx/operators/onnx__Softmax.html
 */
import {
  makeSoftmaxProblem,
  planSoftmax,
  referenceSoftmax,
  type SoftmaxProblem,
  softmaxSum,
} from '@onegpu/kernels/core';
import type { NodeContext, OperatorDefinition, ReferenceOutput } from '../op-definition.ts';
import { floatInput } from './float-operands.ts';
import { requireInput } from './host-input.ts';
import { kernelOptions, loweringOf } from './kernel-lowering.ts';
import { floatsOf, sums } from './reference.ts';

export const SOFTMAX_OPERATORS: readonly OperatorDefinition[] = ['Softmax', 'LogSoftmax'].map(
  (opType): OperatorDefinition => ({
    opType,
    domain: '',
    opsets: [1, 28],
    arity: [1, 1],
    attributes: ['axis'],
    infer: (context) => [{ type: requireInput(context, 0).type, dims: problemOf(context).dims }],
    lower: (context) =>
      loweringOf(context, planSoftmax(problemOf(context), context.capabilities, kernelOptions(context))),
  }),
);

function problemOf(context: NodeContext): SoftmaxProblem {
  const along = context.opset >= 13;
  return makeSoftmaxProblem({
    operation: context.node.opType === 'LogSoftmax' ? 'log-softmax' : 'softmax',
    dims: floatInput(context, 0).dims,
    axis: context.attributes.int('axis', along ? -1 : 1),
    extends: along ? 'along' : 'from',
  });
}

export function softmaxReference(context: NodeContext): readonly ReferenceOutput[] {
  const problem = problemOf(context);
  return [sums(problem.dims, referenceSoftmax(problem, floatsOf(context, 0)), softmaxSum(problem))];
}
