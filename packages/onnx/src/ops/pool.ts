/**
 * Pooling: MaxPool and AveragePool over one or two spatial axes, GlobalMaxPool and GlobalAveragePool over any
 * number. Versions differ in attributes added (ceil_mode and dilations in 10, AveragePool's dilations in 19).
 * https://onnx.ai/onnx/operators/onnx__MaxPool.html
 */
import {
  type Layout,
  makeGlobalPoolProblem,
  makePoolProblem,
  type PoolOperation,
  type PoolProblem,
  planPool,
  planReduce,
  poolSum,
  referencePool,
  referenceReduce,
} from '@onegpu/kernels';
import type { NodeContext, OperatorDefinition } from '../op-definition.ts';
import { floatInput } from './float-operands.ts';
import { requireInput } from './host-input.ts';
import { followLayout, kernelOptions, loweringOf, srcLayout } from './kernel-lowering.ts';
import { reduceOutput } from './reduce-reference.ts';
import { floatsOf, picks, sums } from './reference.ts';

const WINDOW_ATTRIBUTES = ['auto_pad', 'ceil_mode', 'dilations', 'kernel_shape', 'pads', 'strides'];

export const POOL_OPERATORS: readonly OperatorDefinition[] = [
  windowPool('MaxPool', 'max', ['storage_order']),
  windowPool('AveragePool', 'average', ['count_include_pad']),
  globalPool('GlobalMaxPool', 'max'),
  globalPool('GlobalAveragePool', 'average'),
];

function windowPool(
  opType: string,
  operation: PoolOperation,
  attributes: readonly string[],
): OperatorDefinition {
  const problemOf = (context: NodeContext, layout: Layout): PoolProblem => {
    const { attributes: read } = context;
    return makePoolProblem({
      operation,
      dims: floatInput(context, 0).dims,
      layout,
      kernel: read.ints('kernel_shape') ?? [],
      autoPad: read.string('auto_pad', 'NOTSET'),
      pads: read.ints('pads'),
      strides: read.ints('strides'),
      dilations: read.ints('dilations'),
      ceilMode: read.int('ceil_mode', 0) !== 0,
      countIncludePad: read.int('count_include_pad', 0) !== 0,
    });
  };
  return {
    opType,
    domain: '',
    opsets: [1, 28],
    arity: [1, 1],
    attributes: [...WINDOW_ATTRIBUTES, ...attributes],
    check(node, read) {
      if (!read.has('kernel_shape')) return 'the attribute kernel_shape is missing';
      if ((read.ints('kernel_shape')?.length ?? 0) > 2) return 'pooling over three spatial axes is not built';
      return (node.outputs[1] ?? '') === '' ? undefined : 'the output Indices is not built';
    },
    infer: (context) => [{ type: requireInput(context, 0).type, dims: problemOf(context, 'nchw').dstDims }],
    layouts: followLayout,
    reference: (context) => {
      const problem = problemOf(context, 'nchw');
      const values = referencePool(problem, floatsOf(context, 0));
      const { dstDims } = problem;
      return [operation === 'max' ? picks(dstDims, values) : sums(dstDims, values, poolSum(problem))];
    },
    lower: (context) =>
      loweringOf(
        context,
        planPool(problemOf(context, srcLayout(context)), context.capabilities, kernelOptions(context)),
      ),
  };
}

function globalPool(opType: string, operation: PoolOperation): OperatorDefinition {
  return {
    opType,
    domain: '',
    opsets: [1, 28],
    arity: [1, 1],
    attributes: [],
    infer: (context) => {
      const { dims } = floatInput(context, 0);
      return [
        { type: requireInput(context, 0).type, dims: makeGlobalPoolProblem({ operation, dims }).dstDims },
      ];
    },
    layouts: followLayout,
    reference: (context) => {
      const problem = makeGlobalPoolProblem({ operation, dims: floatInput(context, 0).dims });
      const src = floatsOf(context, 0);
      if (operation === 'average') return [reduceOutput(problem, src)];
      return [picks(problem.dstDims, referenceReduce(problem, src))];
    },
    lower: (context) => {
      const { dims } = floatInput(context, 0);
      const problem = makeGlobalPoolProblem({ operation, dims, layout: srcLayout(context) });
      return loweringOf(context, planReduce(problem, context.capabilities, kernelOptions(context)));
    },
  };
}
