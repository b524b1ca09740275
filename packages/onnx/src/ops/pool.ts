/**
 * Pooling: MaxPool, AveragePool and LpPool over one to three spatial axes, their global forms over any number.
 * Versions differ in attributes added (ceil_mode and dilations in 10, AveragePool's dilations in 19, LpPool's in 18),
 * in MaxPool's Indices (8) and bytes (12), and in the type of `p` (a float in 1).
 * https://onnx.ai/onnx/operators/onnx__MaxPool.html
 */
import {
  averageWalk,
  type Layout,
  makeGlobalPoolProblem,
  makePoolProblem,
  type PoolElement,
  type PoolOperation,
  type PoolProblem,
  planPool,
  planReduce,
  poolName,
  poolSum,
  type ReduceProblem,
  referencePool,
  referencePoolIndices,
  referenceReduce,
} from '@onegpu/kernels/core';
import type { AttributeReader } from '../attributes.ts';
import type {
  LayoutChoice,
  LowerContext,
  Lowering,
  NodeContext,
  OperatorDefinition,
  ReferenceOutput,
  ValueInfo,
} from '../op-definition.ts';
import { Tensor } from '../tensor.ts';
import { floatInput } from './float-operands.ts';
import { requireInput } from './host-input.ts';
import { followLayout, kernelOptions, loweringOf, srcLayout } from './kernel-lowering.ts';
import { reduceOutput } from './reduce-reference.ts';
import { floatsOf, picks, sums } from './reference.ts';
import { readWindow } from './window-attributes.ts';

const WINDOW_ATTRIBUTES = ['auto_pad', 'ceil_mode', 'dilations', 'kernel_shape', 'pads', 'strides'];

export const POOL_OPERATORS: readonly OperatorDefinition[] = [
  windowPool('max', ['storage_order']),
  windowPool('average', ['count_include_pad']),
  windowPool('lp', ['p']),
  globalPool('max', []),
  globalPool('average', []),
  globalPool('lp', ['p']),
];

function windowPool(operation: PoolOperation, attributes: readonly string[]): OperatorDefinition {
  return {
    opType: poolName(operation),
    domain: '',
    opsets: [1, 28],
    arity: [1, 1],
    attributes: [...WINDOW_ATTRIBUTES, ...attributes],
    check: (_, read) => checkWindow(read),
    infer: (context) => inferWindow(context, operation),
    layouts: (context, available) => windowLayouts(context, available),
    lower: (context) => lowerWindow(context, operation),
  };
}

function checkWindow(read: AttributeReader): string | undefined {
  const kernel = read.ints('kernel_shape');
  if (kernel === undefined) return 'the attribute kernel_shape is missing';
  return kernel.length > 3 ? 'pooling over more than three spatial axes is not built' : undefined;
}

/** Whether the node asks for the second output of MaxPool. */
function wantsIndices({ node }: NodeContext): boolean {
  return (node.outputs[1] ?? '') !== '';
}

function inferWindow(context: NodeContext, operation: PoolOperation): readonly ValueInfo[] {
  const { dstDims: dims } = problemOf(context, operation, 'nchw');
  const values: ValueInfo = { type: requireInput(context, 0).type, dims };
  return operation === 'max' ? [values, { type: 'int64', dims }] : [values];
}

/** Indices are made dense, as ONNX counts them. */
function windowLayouts(context: NodeContext, available: readonly Layout[]): LayoutChoice {
  return wantsIndices(context)
    ? { inputs: ['nchw'], outputs: ['nchw', 'nchw'] }
    : followLayout(context, available);
}

function lowerWindow(context: LowerContext, operation: PoolOperation): Lowering {
  const problem = problemOf(context, operation, srcLayout(context));
  return loweringOf(
    context,
    planPool(problem, context.capabilities, kernelOptions(context)),
    problem.indices === undefined ? {} : { indices: { output: 1 } },
  );
}

function problemOf(context: NodeContext, operation: PoolOperation, layout: Layout): PoolProblem {
  const { attributes: read } = context;
  const order = read.int('storage_order', 0) === 1 ? 'column-major' : 'row-major';
  return makePoolProblem({
    operation,
    dims: requireInput(context, 0).dims,
    layout,
    element: elementOf(context, operation),
    kernel: read.ints('kernel_shape') ?? [],
    ...readWindow(read),
    ceilMode: read.int('ceil_mode', 0) !== 0,
    countIncludePad: read.int('count_include_pad', 0) !== 0,
    power: powerOf(context, operation),
    indices: operation === 'max' && wantsIndices(context) ? order : undefined,
  });
}

/** Floats, and the bytes that MaxPool takes. */
function elementOf(context: NodeContext, operation: PoolOperation): PoolElement {
  const { type } = requireInput(context, 0);
  if (operation === 'max' && (type === 'int8' || type === 'uint8')) return type;
  return floatInput(context, 0).type === 'float16' ? 'float16' : 'float32';
}

function powerOf({ attributes, opset }: NodeContext, operation: PoolOperation): number {
  if (operation !== 'lp') return 2;
  return opset < 2 ? attributes.float('p', 2) : attributes.int('p', 2);
}

/** Of MaxPool, AveragePool and LpPool. */
export function windowPoolReference(context: NodeContext): readonly ReferenceOutput[] {
  const problem = problemOf(context, operationOf(context), 'nchw');
  const { dstDims, operation, element } = problem;
  const src = floatsOf(context, 0);
  const values = referencePool(problem, src);
  if (operation === 'average') {
    return [sums(dstDims, values, poolSum(problem), () => averageWalk(problem, src))];
  }
  if (operation === 'lp') return [sums(dstDims, values, poolSum(problem))];
  const maxima: ReferenceOutput =
    element !== 'int8' && element !== 'uint8'
      ? picks(dstDims, values)
      : { kind: 'exact', tensor: new Tensor(element, [...values], dstDims) };
  if (problem.indices === undefined) return [maxima];
  const indices = Array.from(referencePoolIndices(problem, src), BigInt);
  return [maxima, { kind: 'exact', tensor: new Tensor('int64', indices, dstDims) }];
}

/** Of GlobalMaxPool, GlobalAveragePool and GlobalLpPool. */
export function globalPoolReference(context: NodeContext): readonly ReferenceOutput[] {
  const operation = operationOf(context);
  const problem = globalOf(context, operation, 'nchw');
  const src = floatsOf(context, 0);
  if (operation !== 'max') return [reduceOutput(problem, src)];
  return [picks(problem.dstDims, referenceReduce(problem, src))];
}

function operationOf({ node }: NodeContext): PoolOperation {
  const operations: readonly PoolOperation[] = ['max', 'average', 'lp'];
  return operations.find((operation) => node.opType.endsWith(poolName(operation))) ?? 'max';
}

function globalOf(context: NodeContext, operation: PoolOperation, layout: Layout): ReduceProblem {
  return makeGlobalPoolProblem({
    operation,
    dims: floatInput(context, 0).dims,
    layout,
    power: powerOf(context, operation),
    element: requireInput(context, 0).type === 'float16' ? 'float16' : 'float32',
  });
}

function globalPool(operation: PoolOperation, attributes: readonly string[]): OperatorDefinition {
  return {
    opType: `Global${poolName(operation)}`,
    domain: '',
    opsets: [1, 28],
    arity: [1, 1],
    attributes,
    infer: (context) => [
      { type: requireInput(context, 0).type, dims: globalOf(context, operation, 'nchw').dstDims },
    ],
    layouts: followLayout,
    lower: (context) => {
      const problem = globalOf(context, operation, srcLayout(context));
      return loweringOf(context, planReduce(problem, context.capabilities, kernelOptions(context)));
    },
  };
}
