/**
 * Folds y = scale[oc] * (W x + b) + shift[oc] into the weights and the bias of a Conv, ConvTranspose or Gemm, in
 * float64 with one rounding at the end.
 *
 *   Conv           W [oc, ic/groups, ...]: row oc
 *   ConvTranspose  W [ic, oc/groups, ...]: the block of input channel i belongs to group floor(i / (ic/groups)),
 *                  so its column j scales output channel group * oc/groups + j
 *   Gemm           alpha A B + beta C, B [k, n] or [n, k] when transB: column n; the new C is [n] with beta 1
 */

import { AttributeReader } from '../attributes.ts';
import type { GraphNode } from '../graph.ts';
import { elementCount } from '../tensor.ts';
import type { ChannelAffine } from './channel-affine.ts';
import { composeAffine } from './channel-affine.ts';
import type { GraphRewriter } from './rewriter.ts';
import { isOperator } from './rewriter.ts';

/** What folding needs to know of a node with constant weights. */
export interface FoldableNode {
  readonly node: GraphNode;
  /** Output channels, axis 1 of the result. */
  readonly channels: number;
  /** Number of dims of the result. */
  readonly rank: number;
  /** Bias of each output channel now, zeros where there is none. */
  readonly bias: Float64Array;
}

/** Reads a node whose weights and bias are float32 constants; undefined when they are not, or of another form. */
export function readFoldable(rewriter: GraphRewriter, node: GraphNode | undefined): FoldableNode | undefined {
  if (!isOperator(node, 'Conv', 'ConvTranspose', 'Gemm')) return undefined;
  const weights = rewriter.floats(node.inputs[1] ?? '');
  if (weights === undefined || weights.dims.length < 2) return undefined;
  const channels = outputChannels(node, weights.dims);
  const bias = readBias(rewriter, node, channels);
  const rank = node.opType === 'Gemm' ? 2 : weights.dims.length;
  return bias === undefined ? undefined : { node, channels, rank, bias };
}

/** The node with the function folded in and new constants; its outputs, name and covers are as before. */
export function foldIntoWeights(
  rewriter: GraphRewriter,
  foldable: FoldableNode,
  affine: ChannelAffine,
): GraphNode | undefined {
  const { node, channels, bias } = foldable;
  const [src = '', weightsName = ''] = node.inputs;
  const weights = rewriter.floats(weightsName);
  if (weights === undefined) return undefined;
  const scaled = scaleWeights(node, weights, affine.scale);
  const before = { scale: new Float64Array(channels).fill(1), shift: bias };
  const shifted = Float32Array.from(composeAffine(before, affine).shift);
  if (!isFiniteArray(scaled) || !isFiniteArray(shifted)) return undefined;
  const attributes = new Map(node.attributes);
  if (node.opType === 'Gemm') attributes.set('beta', { kind: 'float', value: 1 });
  const identityScale = affine.scale.every((entry) => entry === 1);
  const inputs = [
    src,
    identityScale ? weightsName : rewriter.addFloats(`${weightsName}.folded`, scaled, weights.dims),
    rewriter.addFloats(`${node.name}.bias`, shifted, [channels]),
  ];
  return { ...node, inputs, attributes };
}

/** Whether no value is NaN or infinite. */
export function isFiniteArray(values: Float32Array): boolean {
  for (let i = 0; i < values.length; i++) if (!Number.isFinite(values[i])) return false;
  return true;
}

function outputChannels(node: GraphNode, dims: readonly number[]): number {
  const [first = 0, second = 0] = dims;
  const attributes = new AttributeReader(node);
  if (node.opType === 'Conv') return first;
  if (node.opType === 'ConvTranspose') return second * attributes.int('group', 1);
  return attributes.int('transB', 0) === 0 ? second : first;
}

/** Gemm's C may broadcast: only a scalar, [n] and [1, n] are a bias. */
function readBias(rewriter: GraphRewriter, node: GraphNode, channels: number): Float64Array | undefined {
  const name = node.inputs[2] ?? '';
  if (name === '') return new Float64Array(channels);
  const bias = rewriter.floats(name);
  if (bias === undefined) return undefined;
  const beta = node.opType === 'Gemm' ? new AttributeReader(node).float('beta', 1) : 1;
  if (bias.data.length === 1 && bias.dims.length <= 2) {
    return new Float64Array(channels).fill(beta * (bias.data[0] ?? 0));
  }
  if (bias.data.length !== channels || bias.dims.at(-1) !== channels || bias.dims.length > 2)
    return undefined;
  return Float64Array.from(bias.data, (value) => beta * value);
}

function scaleWeights(
  node: GraphNode,
  weights: { readonly data: Float32Array; readonly dims: readonly number[] },
  scale: Float64Array,
): Float32Array {
  const { data, dims } = weights;
  const { run, channelOf } = weightRuns(node, dims);
  const scaled = new Float32Array(data.length);
  for (let start = 0; start < data.length; start += run) {
    const factor = scale[channelOf(start / run)] ?? 1;
    for (let i = start; i < start + run; i++) scaled[i] = (data[i] ?? 0) * factor;
  }
  return scaled;
}

interface WeightRuns {
  /** Neighbouring weights that contribute to the same output channel. */
  readonly run: number;
  /** Output channel of the run at a position. */
  readonly channelOf: (position: number) => number;
}

function weightRuns(node: GraphNode, dims: readonly number[]): WeightRuns {
  const [first = 1, second = 1, ...spatial] = dims;
  const attributes = new AttributeReader(node);
  const taps = elementCount(spatial);
  const rowMajor = node.opType === 'Conv' || attributes.int('transB', 0) !== 0;
  if (rowMajor) return { run: Math.max(1, second * taps), channelOf: (row) => row };
  if (node.opType === 'Gemm') return { run: 1, channelOf: (position) => position % second };
  const channelsPerGroup = first / attributes.int('group', 1);
  const channelOf = (block: number): number => {
    const group = Math.floor(Math.floor(block / second) / channelsPerGroup);
    return group * second + (block % second);
  };
  return { run: Math.max(1, taps), channelOf };
}
