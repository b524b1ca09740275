/**
 * Transpose, DepthToSpace and SpaceToDepth. https://onnx.ai/onnx/operators/onnx__DepthToSpace.html
 */
import {
  type DepthRequest,
  makeDepthToSpaceProblem,
  makeSpaceToDepthProblem,
  makeTransposeProblem,
} from '@onegpu/kernels/core';
import type { AttributeReader } from '../attributes.ts';
import type { NodeContext, OperatorDefinition } from '../op-definition.ts';
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
    check: (_, attributes) => checkBlocks(attributes),
    view: (context) => makeDepthToSpaceProblem(blocksOf(context)),
  }),
  moveOperator({
    opType: 'SpaceToDepth',
    opsets: [1, 28],
    arity: [1, 1],
    attributes: ['blocksize', 'mode'],
    check: (_, attributes) => checkBlocks(attributes),
    view: (context) => makeSpaceToDepthProblem(blocksOf(context)),
  }),
];

function checkBlocks(attributes: AttributeReader): string | undefined {
  const mode = attributes.string('mode', 'DCR');
  if (mode !== 'DCR' && mode !== 'CRD') return `mode "${mode}" is unknown`;
  return attributes.int('blocksize', 0) >= 1 ? undefined : 'blocksize must be at least 1';
}

function blocksOf(context: NodeContext): DepthRequest {
  return {
    srcDims: requireInput(context, 0).dims,
    block: context.attributes.int('blocksize', 0),
    mode: context.attributes.string('mode', 'DCR') === 'CRD' ? 'CRD' : 'DCR',
  };
}
