/** Expand and Tile. https://onnx.ai/onnx/operators/onnx__Expand.html */
import { makeExpandProblem, makeTileProblem } from '@onegpu/kernels/core';
import type { OperatorDefinition } from '../op-definition.ts';
import { integerInput, requireInput } from './host-input.ts';
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
];
