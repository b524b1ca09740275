/**
 * Split: sizes from an attribute (before opset 13) or an input known on the host; without them equal parts, or from
 * opset 18 `num_outputs` parts of which the last may be smaller. https://onnx.ai/onnx/operators/onnx__Split.html
 */
import { misfit, planSplit, resolveAxis, type SplitRequest, splitViews } from '@onegpu/kernels/core';
import { takeView } from '../host/numbers.ts';
import type {
  LowerContext,
  Lowering,
  NodeContext,
  OperandSource,
  OperatorDefinition,
} from '../op-definition.ts';
import type { Tensor } from '../tensor.ts';
import { dispatchOf, moveElement, requireWords } from './gpu-operands.ts';
import { integerInput, requireConstant, requireInput } from './host-input.ts';

export const SPLIT_OPERATORS: readonly OperatorDefinition[] = [
  {
    opType: 'Split',
    domain: '',
    opsets: [2, 28],
    arity: [1, 2],
    attributes: ['axis', 'split', 'num_outputs'],
    infer: (context) => {
      const { type } = requireInput(context, 0);
      return splitViews(requestOf(context)).map(({ dims }) => ({ type, dims }));
    },
    evaluate,
    lower,
  },
];

function evaluate(context: NodeContext): readonly Tensor[] {
  const source = requireConstant(context, 0);
  return splitViews(requestOf(context)).map((view) => takeView(source, view));
}

function requestOf(context: NodeContext): SplitRequest {
  const { dims } = requireInput(context, 0);
  const axis = resolveAxis('Split', context.attributes.int('axis', 0), dims.length);
  const extent = dims[axis] ?? 0;
  const given = context.attributes.ints('split') ?? integerInput(context, 1);
  const sizes = given ?? equalParts(context, extent);
  const fits = sizes.every((size) => size >= 0) && sizes.reduce((sum, size) => sum + size, 0) === extent;
  if (!fits || sizes.length < context.node.outputs.length) {
    throw misfit('Split', 'split', sizes, `${context.node.outputs.length} parts of ${extent} together`);
  }
  return { srcDims: dims, axis, sizes };
}

function equalParts(context: NodeContext, extent: number): readonly number[] {
  const wanted = context.attributes.int('num_outputs', 0);
  const count = wanted === 0 ? context.node.outputs.length : wanted;
  const size = Math.ceil(extent / count);
  const parts = Array.from({ length: count }, (_, part) => Math.max(0, Math.min(size, extent - part * size)));
  // Before num_outputs existed, parts had to be equal.
  return wanted === 0 && extent % count !== 0 ? [] : parts;
}

function lower(context: LowerContext): Lowering {
  const element = moveElement(requireWords(context, 0).type);
  const request = requestOf(context);
  const skipped: number[] = [];
  const operands: Record<string, OperandSource> = { src: { input: 0 } };
  request.sizes.forEach((_, part) => {
    if ((context.node.outputs[part] ?? '') === '') skipped.push(part);
    else operands[`dst${part}`] = { output: part };
  });
  const plan = planSplit({ ...request, skipped }, context.capabilities, element);
  return dispatchOf({ plan }, operands);
}
