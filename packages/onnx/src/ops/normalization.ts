/**
 * BatchNormalization at inference (one that no convolution took in), InstanceNormalization, LayerNormalization.
 * https://onnx.ai/onnx/operators/onnx__BatchNormalization.html
 */
import {
  batchNormSum,
  makeBatchNormProblem,
  makeInstanceNormProblem,
  makeLayerNormProblem,
  misfit,
  planBatchNorm,
  planRowNorm,
  type RowNormProblem,
  type RowStatistic,
  referenceBatchNorm,
  referenceRowNorm,
  referenceRowStatistics,
  resolveAxis,
  rowNormSum,
} from '@onegpu/kernels/core';
import type { AttributeReader } from '../attributes.ts';
import type { GraphNode } from '../graph.ts';
import type { NodeContext, OperatorDefinition, ReferenceOutput } from '../op-definition.ts';
import { elementCount } from '../tensor.ts';
import { floatInput, optionalFloatInput } from './float-operands.ts';
import { requireInput } from './host-input.ts';
import { followLayout, kernelOptions, loweringOf, srcLayout } from './kernel-lowering.ts';
import { floatsOf, optionalFloatsOf, sums } from './reference.ts';

const DEFAULT_EPSILON = 1e-5;

const batchNormalization: OperatorDefinition = {
  opType: 'BatchNormalization',
  domain: '',
  opsets: [1, 28],
  arity: [5, 5],
  attributes: ['epsilon', 'momentum', 'spatial', 'is_test', 'training_mode', 'consumed_inputs'],
  check: checkBatchNorm,
  infer: (context) => {
    const { dims } = floatInput(context, 0);
    for (const index of [1, 2, 3, 4]) requireLength(context, index, dims[1] ?? 0);
    return [{ type: requireInput(context, 0).type, dims }];
  },
  // Channels-last kernels know ranks 3 and 4; the session offers no other rank in `nhwc4`.
  layouts: followLayout,
  lower: (context) => {
    const problem = makeBatchNormProblem({
      dims: floatInput(context, 0).dims,
      epsilon: context.attributes.float('epsilon', DEFAULT_EPSILON),
      layout: srcLayout(context),
    });
    const selection = planBatchNorm(problem, context.capabilities, kernelOptions(context));
    return loweringOf(context, selection, {
      scale: { input: 1 },
      bias: { input: 2 },
      mean: { input: 3 },
      variance: { input: 4 },
    });
  },
};

export function batchNormReference(context: NodeContext): readonly ReferenceOutput[] {
  const { dims } = floatInput(context, 0);
  const epsilon = context.attributes.float('epsilon', DEFAULT_EPSILON);
  const values = referenceBatchNorm(makeBatchNormProblem({ dims, epsilon }), {
    src: floatsOf(context, 0),
    scale: floatsOf(context, 1),
    bias: floatsOf(context, 2),
    mean: floatsOf(context, 3),
    variance: floatsOf(context, 4),
  });
  return [sums(dims, values, batchNormSum())];
}

/** Training needs the statistics of the batch, and outputs beyond the first exist only then. */
function checkBatchNorm(node: GraphNode, attributes: AttributeReader, opset: number): string | undefined {
  if (attributes.int('training_mode', 0) !== 0) return 'training_mode is not supported';
  if (opset < 7 && attributes.int('is_test', 0) === 0) return 'is_test = 0 asks for training';
  if (attributes.int('spatial', 1) === 0) return 'spatial = 0 is not built';
  const extra = node.outputs.slice(1).some((output) => output !== '');
  return extra ? 'the outputs of training are not supported' : undefined;
}

function requireLength(context: NodeContext, index: number, expected: number): void {
  const { dims } = floatInput(context, index);
  if (elementCount(dims) === expected) return;
  throw misfit(context.node.opType, `inputs[${index}]`, dims, `[${expected}]`);
}

const instanceNormalization: OperatorDefinition = {
  opType: 'InstanceNormalization',
  domain: '',
  opsets: [1, 28],
  arity: [3, 3],
  attributes: ['epsilon', 'consumed_inputs'],
  infer: (context) => {
    const { dims } = floatInput(context, 0);
    requireLength(context, 1, dims[1] ?? 0);
    requireLength(context, 2, dims[1] ?? 0);
    return [{ type: requireInput(context, 0).type, dims: instanceProblem(context).dims }];
  },
  lower: (context) => {
    const selection = planRowNorm(instanceProblem(context), context.capabilities, kernelOptions(context));
    return loweringOf(context, selection, { scale: { input: 1 }, bias: { input: 2 } });
  },
};

export function instanceNormReference(context: NodeContext): readonly ReferenceOutput[] {
  return [rowReference(context, instanceProblem(context))];
}

function rowReference(context: NodeContext, problem: RowNormProblem): ReferenceOutput {
  const operands = {
    src: floatsOf(context, 0),
    scale: floatsOf(context, 1),
    bias: optionalFloatsOf(context, 2) ?? [],
  };
  return sums(problem.dims, referenceRowNorm(problem, operands), rowNormSum(problem));
}

function instanceProblem(context: NodeContext): RowNormProblem {
  const epsilon = context.attributes.float('epsilon', DEFAULT_EPSILON);
  return makeInstanceNormProblem(floatInput(context, 0).dims, epsilon);
}

/** Outputs behind the first. */
const LAYER_STATISTICS: readonly RowStatistic[] = ['mean', 'inverse-deviation'];

const layerNormalization: OperatorDefinition = {
  opType: 'LayerNormalization',
  domain: '',
  opsets: [17, 28],
  arity: [2, 3],
  attributes: ['axis', 'epsilon', 'stash_type'],
  check: (_node, attributes) =>
    attributes.int('stash_type', 1) === 1 ? undefined : 'stash_type other than float32 is not built',
  infer: (context) => {
    const { dims } = layerProblem(context);
    const rows = rowDims(context);
    // Statistics are float32 whatever the input is (stash_type).
    return [
      { type: requireInput(context, 0).type, dims },
      { type: 'float32', dims: rows },
      { type: 'float32', dims: rows },
    ];
  },
  lower: (context) => {
    const problem = layerProblem(context);
    const selection = planRowNorm(problem, context.capabilities, kernelOptions(context));
    return loweringOf(context, selection, {
      scale: { input: 1 },
      ...(problem.bias ? { bias: { input: 2 } } : {}),
      ...(problem.statistics.includes('mean') ? { row_mean: { output: 1 } } : {}),
      ...(problem.statistics.includes('inverse-deviation') ? { row_inverse_deviation: { output: 2 } } : {}),
    });
  },
};

export function layerNormReference(context: NodeContext): readonly ReferenceOutput[] {
  const problem = layerProblem(context);
  const { mean, deviation } = referenceRowStatistics(problem, floatsOf(context, 0));
  const rows = rowDims(context);
  return [
    rowReference(context, problem),
    sums(rows, mean, rowNormSum(problem)),
    sums(
      rows,
      deviation.map((value) => 1 / value),
      rowNormSum(problem),
    ),
  ];
}

/** Dims of the statistics: ones from the axis on. */
function rowDims(context: NodeContext): readonly number[] {
  const { dims } = floatInput(context, 0);
  const axis = resolveAxis('LayerNormalization', context.attributes.int('axis', -1), dims.length);
  return dims.map((extent, at) => (at < axis ? extent : 1));
}

function layerProblem(context: NodeContext): RowNormProblem {
  const bias = optionalFloatInput(context, 2);
  const scaleElements = elementCount(floatInput(context, 1).dims);
  if (bias !== undefined) requireLength(context, 2, scaleElements);
  return makeLayerNormProblem({
    dims: floatInput(context, 0).dims,
    axis: context.attributes.int('axis', -1),
    scaleElements,
    bias: bias !== undefined,
    statistics: LAYER_STATISTICS.filter((_, index) => (context.node.outputs[index + 1] ?? '') !== ''),
    epsilon: context.attributes.float('epsilon', DEFAULT_EPSILON),
  });
}

export const NORMALIZATION_OPERATORS: readonly OperatorDefinition[] = [
  batchNormalization,
  instanceNormalization,
  layerNormalization,
];
