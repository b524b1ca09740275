/**
 * Expand, Tile, and Gather with indices known on the host. https://onnx.ai/onnx/operators/onnx__Gather.html
 */
import { makeExpandProblem, makeGatherProblem, makeTileProblem } from '@onegpu/kernels';
import type { OperatorDefinition } from '../op-definition.ts';
import { integerInput, requireConstant, requireInput } from './host-input.ts';
import { moveOperator } from './move-operator.ts';

export const REPEAT_OPERATORS: readonly OperatorDefinition[] = [
  moveOperator({
    opType: 'Expand',
    opsets: [8, 28],
    arity: [2, 2],
    attributes: [],
    view: (context) => makeExpandProblem(requireInput(context, 0).dims, integerInput(context, 1) ?? []),
  }),
  moveOperator({
    opType: 'Tile',
    opsets: [6, 28],
    arity: [2, 2],
    attributes: [],
    view: (context) => makeTileProblem(requireInput(context, 0).dims, integerInput(context, 1) ?? []),
  }),
  moveOperator({
    opType: 'Gather',
    opsets: [1, 28],
    arity: [2, 2],
    attributes: ['axis'],
    view: (context) =>
      makeGatherProblem({
        srcDims: requireInput(context, 0).dims,
        axis: context.attributes.int('axis', 0),
        indices: integerInput(context, 1) ?? [],
        indexDims: requireConstant(context, 1).dims,
      }),
  }),
];
