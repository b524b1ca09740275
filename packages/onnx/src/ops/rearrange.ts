/**
 * Transpose, DepthToSpace and SpaceToDepth. https://onnx.ai/onnx/operators/onnx__DepthToSpace.html
 */
import { makeDepthToSpaceProblem, makeSpaceToDepthProblem, makeTransposeProblem } from '@onegpu/kernels';
import type { AttributeReader } from '../attributes.ts';
import type { OperatorDefinition } from '../op-definition.ts';
import { requireInput } from './host-input.ts';
import { moveOperator } from './move-operator.ts';

export const REARRANGE_OPERATORS: readonly OperatorDefinition[] = [
  moveOperator({
    opType: 'Transpose',
    opsets: [1, 28],
    arity: [1, 1],
    attributes: ['perm'],
    view: (context) => makeTransposeProblem(requireInput(context, 0).dims, context.attributes.ints('perm')),
  }),
  moveOperator({
    opType: 'DepthToSpace',
    opsets: [1, 28],
    arity: [1, 1],
    attributes: ['blocksize', 'mode'],
    check: (_, attributes) => {
      const mode = attributes.string('mode', 'DCR');
      return mode === 'DCR' || mode === 'CRD' ? checkBlock(attributes) : `mode "${mode}" is unknown`;
    },
    view: (context) =>
      makeDepthToSpaceProblem({
        srcDims: requireInput(context, 0).dims,
        block: context.attributes.int('blocksize', 0),
        mode: context.attributes.string('mode', 'DCR') === 'CRD' ? 'CRD' : 'DCR',
      }),
  }),
  moveOperator({
    opType: 'SpaceToDepth',
    opsets: [1, 28],
    arity: [1, 1],
    attributes: ['blocksize'],
    check: (_, attributes) => checkBlock(attributes),
    view: (context) =>
      makeSpaceToDepthProblem({
        srcDims: requireInput(context, 0).dims,
        block: context.attributes.int('blocksize', 0),
      }),
  }),
];

function checkBlock(attributes: AttributeReader): string | undefined {
  return attributes.int('blocksize', 0) >= 1 ? undefined : 'blocksize must be at least 1';
}
