/**
 * Gather. With indices known on the host it is a view, checked against the extent; with indices of a run they are
 * followed on the GPU, where those out of range are clamped. https://onnx.ai/onnx/operators/onnx__Gather.html
 */
import {
  type MoveProblem,
  makeGatherProblem,
  makeGatherRowsProblem,
  resolveAxis,
  selectGather,
  selectMove,
} from '@onegpu/kernels/core';
import { takeView } from '../host/numbers.ts';
import { notBuilt } from '../not-built.ts';
import type { LowerContext, Lowering, NodeContext, OperatorDefinition } from '../op-definition.ts';
import type { Tensor } from '../tensor.ts';
import { dispatchOf, moveElement, requireWords } from './gpu-operands.ts';
import { integerInput, requireConstant, requireInput } from './host-input.ts';
import { kernelOptions } from './kernel-lowering.ts';

export const GATHER_OPERATORS: readonly OperatorDefinition[] = [
  {
    opType: 'Gather',
    domain: '',
    opsets: [1, 28],
    arity: [2, 2],
    attributes: ['axis'],
    infer: (context) => [{ type: requireInput(context, 0).type, dims: gatheredDims(context) }],
    evaluate,
    lower,
  },
];

function gatheredDims(context: NodeContext): readonly number[] {
  const { dims } = requireInput(context, 0);
  const axis = resolveAxis('Gather', context.attributes.int('axis', 0), dims.length);
  return [...dims.slice(0, axis), ...requireInput(context, 1).dims, ...dims.slice(axis + 1)];
}

/** The view for indices that the host knows. */
function viewOf(context: NodeContext): MoveProblem {
  return makeGatherProblem({
    srcDims: requireInput(context, 0).dims,
    axis: context.attributes.int('axis', 0),
    indices: integerInput(context, 1) ?? [],
    indexDims: requireConstant(context, 1).dims,
  });
}

function evaluate(context: NodeContext): readonly Tensor[] {
  return [takeView(requireConstant(context, 0), viewOf(context))];
}

function lower(context: LowerContext): Lowering {
  const element = moveElement(requireWords(context, 0).type);
  const options = kernelOptions(context);
  const indices = requireInput(context, 1);
  if (indices.type !== 'int32' && indices.type !== 'int64') {
    throw notBuilt('Gather', 'inputs[1]', indices.type, 'int32 or int64');
  }
  if (indices.constant !== undefined) {
    const selection = selectMove(viewOf(context), context.capabilities, { ...options, element });
    return dispatchOf(selection, { src: { input: 0 }, dst: { output: 0 } });
  }
  const problem = makeGatherRowsProblem({
    srcDims: requireInput(context, 0).dims,
    indexDims: indices.dims,
    axis: context.attributes.int('axis', 0),
    element,
    index: indices.type === 'int64' ? 'i64' : 'i32',
  });
  const selection = selectGather(problem, context.capabilities, options);
  return dispatchOf(selection, { src: { input: 0 }, index: { input: 1 }, dst: { output: 0 } });
}
