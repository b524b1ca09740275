/**
 * Concat. Along the channels it runs in `nhwc4` when an input lies there and each has a multiple of four channels;
 * else in `nchw`. https://onnx.ai/onnx/operators/onnx__Concat.html
 */
import type { OperandPacking } from '@onegpu/core';
import {
  type ConcatProblem,
  type Layout,
  makeConcatProblem,
  packNhwc4,
  planConcat,
  resolveAxis,
} from '@onegpu/kernels/core';
import type {
  LayoutChoice,
  LowerContext,
  Lowering,
  NodeContext,
  OperandSource,
  OperatorDefinition,
} from '../op-definition.ts';
import { allocateData, elementCount, Tensor } from '../tensor.ts';
import { dispatchOf, moveElement, requireOneType } from './gpu-operands.ts';
import { requireConstant, requireInput } from './host-input.ts';

export const CONCAT_OPERATORS: readonly OperatorDefinition[] = [
  {
    opType: 'Concat',
    domain: '',
    opsets: [1, 28],
    arity: [1, 2 ** 31 - 1],
    attributes: ['axis'],
    infer: (context) => [{ type: requireInput(context, 0).type, dims: problemOf(context, 'nchw').dims }],
    evaluate: (context) => [concatOnHost(context)],
    layouts,
    lower,
  },
];

function axisOf(context: NodeContext): number {
  return resolveAxis('Concat', context.attributes.int('axis', 1), requireInput(context, 0).dims.length);
}

function problemOf(context: NodeContext, layout: Layout): ConcatProblem {
  const inputs = context.inputs.map((_, index) => requireInput(context, index).dims);
  return makeConcatProblem({ inputs, axis: axisOf(context), layout });
}

function layouts(context: NodeContext, available: readonly Layout[]): LayoutChoice {
  const rank = requireInput(context, 0).dims.length;
  const channels = context.inputs.every((input) => (input?.dims[1] ?? 0) % 4 === 0);
  const packed =
    (rank === 3 || rank === 4) && axisOf(context) === 1 && channels && available.includes('nhwc4');
  const layout = packed ? 'nhwc4' : 'nchw';
  return {
    inputs: context.inputs.map((input) => (input?.constant === undefined ? layout : 'nchw')),
    outputs: [layout],
  };
}

function lower(context: LowerContext): Lowering {
  const layout = context.layouts.outputs[0] ?? 'nchw';
  const { type } = requireOneType(context, [...context.inputs.keys()]);
  const plan = planConcat(problemOf(context, layout), context.capabilities, moveElement(type));
  const operands: Record<string, OperandSource> = { dst: { output: 0 } };
  const packing: OperandPacking[] = [];
  context.inputs.forEach((_, index) => {
    const { dims, constant } = requireInput(context, index);
    if (elementCount(dims) === 0) return;
    operands[`src${index}`] = { input: index };
    if (layout !== 'nhwc4' || constant === undefined) return;
    packing.push({
      operand: `src${index}`,
      key: `nhwc4:${dims.join('x')}`,
      pack: (source) => packNhwc4(source, dims),
    });
  });
  return dispatchOf({ plan: { ...plan, packing } }, operands);
}

function concatOnHost(context: NodeContext): Tensor {
  const { dims, outer, runs } = problemOf(context, 'nchw');
  const { type } = requireConstant(context, 0);
  const data = allocateData(type, elementCount(dims)) as (number | bigint | string)[];
  const sources = context.inputs.map(
    (_, index) => requireConstant(context, index).data as ArrayLike<number | bigint | string>,
  );
  let position = 0;
  for (let row = 0; row < outer; row++) {
    sources.forEach((source, index) => {
      const run = runs[index] ?? 0;
      for (let at = 0; at < run; at++) data[position++] = source[row * run + at] ?? 0;
    });
  }
  return new Tensor(type, data as never, dims);
}
