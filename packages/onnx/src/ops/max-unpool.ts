/**
 * MaxUnpool: the elements of a MaxPool go back to the places its Indices name. `output_shape`, an input, holds the
 * volume that the window attributes lead back to at its start.
 * https://onnx.ai/onnx/operators/onnx__MaxUnpool.html
 */
import {
  type MaxUnpoolProblem,
  makeMaxUnpoolProblem,
  planMaxUnpool,
  referenceMaxUnpool,
} from '@onegpu/kernels';
import { notBuilt } from '../not-built.ts';
import type { NodeContext, OperatorDefinition, ReferenceOutput } from '../op-definition.ts';
import { floatInput } from './float-operands.ts';
import { integerInput, requireConstant, requireInput } from './host-input.ts';
import { kernelOptions, loweringOf } from './kernel-lowering.ts';
import { floatsOf, picks } from './reference.ts';

export const MAX_UNPOOL_OPERATORS: readonly OperatorDefinition[] = [
  {
    opType: 'MaxUnpool',
    domain: '',
    opsets: [9, 28],
    arity: [2, 3],
    attributes: ['kernel_shape', 'pads', 'strides'],
    check: (_, read) => (read.has('kernel_shape') ? undefined : 'the attribute kernel_shape is missing'),
    infer: (context) => [{ type: floatInput(context, 0).type, dims: problemOf(context).dstDims }],
    lower: (context) =>
      loweringOf(context, planMaxUnpool(problemOf(context), context.capabilities, kernelOptions(context)), {
        indices: { input: 1 },
      }),
  },
];

function problemOf(context: NodeContext): MaxUnpoolProblem {
  const { attributes: read } = context;
  const indices = requireInput(context, 1);
  if (indices.type !== 'int64') {
    throw notBuilt('MaxUnpool', 'inputs[1]', indices.type, 'int64');
  }
  return makeMaxUnpoolProblem({
    dims: floatInput(context, 0).dims,
    indicesDims: indices.dims,
    kernel: read.ints('kernel_shape') ?? [],
    strides: read.ints('strides'),
    pads: read.ints('pads'),
    outputShape: integerInput(context, 2),
  });
}

export function maxUnpoolReference(context: NodeContext): readonly ReferenceOutput[] {
  const problem = problemOf(context);
  const src = floatsOf(context, 0);
  const indices = Array.from(requireConstant(context, 1).data as BigInt64Array, Number);
  const places = referenceMaxUnpool(problem, indices);
  const picked = Array.from(places, (at) => (at < 0 ? 0 : (src[at] ?? 0)));
  return [picks(problem.dstDims, picked)];
}
