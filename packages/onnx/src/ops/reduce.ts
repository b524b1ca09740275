/**
 * Reductions. Axes are an attribute before opset 18 (ReduceSum: 13), then an input; no axes means all of them,
 * unless `noop_with_empty_axes` says that nothing happens.
 * https://onnx.ai/onnx/operators/onnx__ReduceSum.html
 */
import {
  type Layout,
  makeReduceProblem,
  planReduce,
  type ReduceOperation,
  type ReduceProblem,
} from '@onegpu/kernels/core';
import type {
  LayoutChoice,
  LowerContext,
  Lowering,
  NodeContext,
  OperatorDefinition,
  ReferenceOutput,
} from '../op-definition.ts';
import { floatInput } from './float-operands.ts';
import { axesOf, requireConstant, requireInput } from './host-input.ts';
import { followLayout, kernelOptions, loweringOf, srcLayout } from './kernel-lowering.ts';
import { reduceOnHost } from './reduce-on-host.ts';
import { reduceOutput } from './reduce-reference.ts';
import { exact, floatsOf } from './reference.ts';

const OPERATIONS: Readonly<Record<string, ReduceOperation>> = {
  ReduceSum: 'sum',
  ReduceMean: 'mean',
  ReduceMax: 'max',
  ReduceMin: 'min',
  ReduceProd: 'prod',
  ReduceL1: 'l1',
  ReduceL2: 'l2',
  ReduceSumSquare: 'sum-square',
  ReduceLogSum: 'log-sum',
  ReduceLogSumExp: 'log-sum-exp',
};

export const REDUCE_OPERATORS: readonly OperatorDefinition[] = Object.entries(OPERATIONS).map(
  ([opType, operation]): OperatorDefinition => ({
    opType,
    domain: '',
    opsets: [1, 28],
    arity: [1, 2],
    attributes: ['axes', 'keepdims', 'noop_with_empty_axes'],
    infer: (context) => {
      const { type, dims } = requireInput(context, 0);
      return [{ type, dims: isNoop(context) ? dims : problemOf(context, operation, 'nchw').dstDims }];
    },
    evaluate: (context) => {
      const src = requireConstant(context, 0);
      return [isNoop(context) ? src : reduceOnHost(problemOf(context, operation, 'nchw'), src)];
    },
    layouts: (context, available) => reduceLayouts(context, operation, available),
    lower: (context) => lower(context, operation),
  }),
);

export function reduceReference(context: NodeContext): readonly ReferenceOutput[] {
  if (isNoop(context)) return exact([requireConstant(context, 0)]);
  const problem = problemOf(context, OPERATIONS[context.node.opType] ?? 'sum', 'nchw');
  return [reduceOutput(problem, floatsOf(context, 0))];
}

function isNoop(context: NodeContext): boolean {
  const axes = axesOf(context, 1) ?? [];
  return axes.length === 0 && context.attributes.int('noop_with_empty_axes', 0) !== 0;
}

function problemOf(context: NodeContext, operation: ReduceOperation, layout: Layout): ReduceProblem {
  return makeReduceProblem({
    operation,
    dims: requireInput(context, 0).dims,
    axes: axesOf(context, 1) ?? [],
    keepDims: context.attributes.int('keepdims', 1) !== 0,
    layout,
  });
}

/** Channels last where all spatial axes go and stay as ones: that is global pooling. */
function reduceLayouts(
  context: NodeContext,
  operation: ReduceOperation,
  available: readonly Layout[],
): LayoutChoice {
  if (isNoop(context)) return followLayout(context, []);
  const { srcDims, axes } = problemOf(context, operation, 'nchw');
  const rank = srcDims.length;
  const pools =
    (rank === 3 || rank === 4) &&
    axes[0] === 2 &&
    axes.length === rank - 2 &&
    context.attributes.int('keepdims', 1) !== 0 &&
    operation !== 'log-sum' &&
    operation !== 'log-sum-exp';
  return followLayout(context, pools ? available : []);
}

function lower(context: LowerContext, operation: ReduceOperation): Lowering {
  if (isNoop(context)) return { kind: 'alias', input: 0 };
  floatInput(context, 0);
  const problem = problemOf(context, operation, srcLayout(context));
  return loweringOf(context, planReduce(problem, context.capabilities, kernelOptions(context)));
}
