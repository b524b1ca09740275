/**
 * Slice; its ranges are attributes before opset 10 and inputs known on the host from then on.
 * https://onnx.ai/onnx/operators/onnx__Slice.html
 */
import { InvalidModelError } from '@onegpu/core';
import { type MoveProblem, makeSliceProblem } from '@onegpu/kernels/core';
import { readNumbers } from '../host/numbers.ts';
import type { NodeContext, OperatorDefinition } from '../op-definition.ts';
import { requireConstant, requireInput } from './host-input.ts';
import { moveOperator } from './move-operator.ts';

export const SLICE_OPERATORS: readonly OperatorDefinition[] = [
  moveOperator({
    opType: 'Slice',
    opsets: [1, 28],
    arity: [1, 5],
    attributes: ['starts', 'ends', 'axes'],
    view: sliceView,
  }),
];

function sliceView(context: NodeContext): MoveProblem {
  const list = (name: string, index: number): readonly number[] | undefined =>
    context.attributes.ints(name) ??
    (context.inputs[index] === undefined ? undefined : bounds(context, index));
  const [starts, ends] = [list('starts', 1), list('ends', 2)];
  if (starts === undefined || ends === undefined) {
    throw new InvalidModelError('starts or ends is missing', { subject: 'Slice', field: 'starts' });
  }
  return makeSliceProblem({
    srcDims: requireInput(context, 0).dims,
    starts,
    ends,
    axes: list('axes', 3),
    steps: list('steps', 4),
  });
}

/** Exporters write the largest 64-bit integer for "to the end": rounding it to 2^63 changes nothing. */
function bounds(context: NodeContext, index: number): readonly number[] {
  return readNumbers(requireConstant(context, index));
}
