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
  if (!scaled.every(Number.isFinite) || !shifted.every(Number.isFinite)) return undefined;
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
  const channelOf = channelOfWeight(node, weights.dims);
  return weights.data.map((value, index) => value * (scale[channelOf(index)] ?? 1));
}

/** The output channel that the weight at a flat index contributes to. */
function channelOfWeight(node: GraphNode, dims: readonly number[]): (index: number) => number {
  const [first = 1, second = 1, ...spatial] = dims;
  const attributes = new AttributeReader(node);
  const taps = spatial.reduce((product, extent) => product * extent, 1);
  if (node.opType === 'Conv') return (index) => Math.floor(index / (second * taps));
  if (node.opType === 'Gemm') {
    return attributes.int('transB', 0) === 0
      ? (index) => index % second
      : (index) => Math.floor(index / second);
  }
  const channelsPerGroup = first / attributes.int('group', 1);
  return (index) => {
    const block = Math.floor(index / taps);
    const group = Math.floor(Math.floor(block / second) / channelsPerGroup);
    return group * second + (block % second);
  };
}
