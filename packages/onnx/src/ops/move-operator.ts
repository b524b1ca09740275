/** Definitions of operators that only move elements: the view of a node gives shape, host value and plan. */
import { type MoveProblem, selectMove } from '@onegpu/kernels/core';
import { takeView } from '../host/numbers.ts';
import type { NodeContext, OperatorDefinition } from '../op-definition.ts';
import type { Tensor } from '../tensor.ts';
import { dispatchOf, moveElement, requireWords } from './gpu-operands.ts';
import { requireConstant, requireInput } from './host-input.ts';
import { kernelOptions } from './kernel-lowering.ts';

export interface MoveOperatorSpec
  extends Pick<OperatorDefinition, 'opType' | 'opsets' | 'arity' | 'attributes'> {
  readonly check?: OperatorDefinition['check'];
  /** The view of input 0 that the node asks for. */
  view(context: NodeContext): MoveProblem;
  /** Value of elements the view takes from nowhere, for the host; absent: zero. */
  fill?(context: NodeContext): Tensor | undefined;
}

export function moveOperator(spec: MoveOperatorSpec): OperatorDefinition {
  const { opType, opsets, arity, attributes, check, view } = spec;
  const evaluate = (context: NodeContext): readonly Tensor[] => {
    const fill = spec.fill?.(context)?.data[0];
    const value = typeof fill === 'string' ? undefined : fill;
    return [takeView(requireConstant(context, 0), view(context), value)];
  };
  return {
    opType,
    domain: '',
    opsets,
    arity,
    attributes,
    ...(check === undefined ? {} : { check }),
    infer: (context) => [{ type: requireInput(context, 0).type, dims: view(context).dims }],
    evaluate,
    lower: (context) => {
      const element = moveElement(requireWords(context, 0).type);
      const options = { ...kernelOptions(context), element };
      const selection = selectMove(view(context), context.capabilities, options);
      return dispatchOf(selection, { src: { input: 0 }, dst: { output: 0 } });
    },
  };
}
