/** LRN: local response normalisation across channels. https://onnx.ai/onnx/operators/onnx__LRN.html */
import { type Layout, type LrnProblem, lrnSum, makeLrnProblem, planLrn, referenceLrn } from '@onegpu/kernels';
import type { NodeContext, OperatorDefinition, ReferenceOutput } from '../op-definition.ts';
import { floatInput } from './float-operands.ts';
import { followLayout, kernelOptions, loweringOf, srcLayout } from './kernel-lowering.ts';
import { floatsOf, sums } from './reference.ts';

export const LRN_OPERATORS: readonly OperatorDefinition[] = [
  {
    opType: 'LRN',
    domain: '',
    opsets: [1, 28],
    arity: [1, 1],
    attributes: ['alpha', 'beta', 'bias', 'size'],
    check: (_, read) => (read.has('size') ? undefined : 'the attribute size is missing'),
    infer: (context) => {
      const { type } = floatInput(context, 0);
      return [{ type, dims: problemOf(context, 'nchw').dims }];
    },
    layouts: followLayout,
    lower: (context) =>
      loweringOf(
        context,
        planLrn(problemOf(context, srcLayout(context)), context.capabilities, kernelOptions(context)),
      ),
  },
];

export function lrnReference(context: NodeContext): readonly ReferenceOutput[] {
  const problem = problemOf(context, 'nchw');
  return [sums(problem.dims, referenceLrn(problem, floatsOf(context, 0)), lrnSum(problem))];
}

function problemOf(context: NodeContext, layout: Layout): LrnProblem {
  const { attributes: read } = context;
  return makeLrnProblem({
    dims: floatInput(context, 0).dims,
    size: read.int('size', 1),
    alpha: read.float('alpha', 1e-4),
    beta: read.float('beta', 0.75),
    bias: read.float('bias', 1),
    layout,
  });
}
