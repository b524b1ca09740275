/**
 * Reads a node that scales and shifts each channel by constants, y = scale[c] * x + shift[c]:
 * BatchNormalization at inference, and Add, Sub, Mul, Div with a scalar or per-channel constant.
 */
import { AttributeReader } from '../attributes.ts';
import type { GraphNode } from '../graph.ts';
import type { GraphRewriter } from './rewriter.ts';
import { isOperator } from './rewriter.ts';

/** One float64 per channel each. */
export interface ChannelAffine {
  readonly scale: Float64Array;
  readonly shift: Float64Array;
}

/**
 * The function that the node applies to `value`, a tensor of `rank` dims with its channels on axis 1, before the
 * activation that may be fused behind it.
 */
export function readChannelAffine(
  rewriter: GraphRewriter,
  node: GraphNode,
  value: string,
  shape: { readonly channels: number; readonly rank: number },
): ChannelAffine | undefined {
  if (node.epilogue.residual !== '') return undefined;
  const affine = isOperator(node, 'BatchNormalization')
    ? readBatchNormalization(rewriter, node, shape.channels)
    : readArithmetic(rewriter, node, value, shape);
  if (affine === undefined) return undefined;
  const finite = [...affine.scale, ...affine.shift].every((entry) => Number.isFinite(Math.fround(entry)));
  return finite ? affine : undefined;
}

/** `second` after `first`. */
export function composeAffine(first: ChannelAffine, second: ChannelAffine): ChannelAffine {
  return {
    scale: first.scale.map((scale, channel) => scale * at(second.scale, channel)),
    shift: first.shift.map((shift, channel) => shift * at(second.scale, channel) + at(second.shift, channel)),
  };
}

/**
 * scale = gamma / sqrt(variance + epsilon), shift = beta - mean * scale.
 * https://onnx.ai/onnx/operators/onnx__BatchNormalization.html
 */
export function readBatchNormalization(
  rewriter: GraphRewriter,
  node: GraphNode,
  channels: number,
): ChannelAffine | undefined {
  const attributes = new AttributeReader(node);
  const training = attributes.int('training_mode', 0) !== 0 || attributes.int('spatial', 1) !== 1;
  if (training || node.outputs.filter((output) => output !== '').length !== 1) return undefined;
  const [gamma, beta, mean, variance] = node.inputs.slice(1).map((name) => rewriter.floats(name)?.data);
  if (gamma === undefined || beta === undefined || mean === undefined || variance === undefined)
    return undefined;
  if ([gamma, beta, mean, variance].some((data) => data.length !== channels)) return undefined;
  const epsilon = attributes.float('epsilon', 1e-5);
  const scale = Float64Array.from(gamma, (value, c) => value / Math.sqrt(at(variance, c) + epsilon));
  return { scale, shift: Float64Array.from(beta, (value, c) => value - at(mean, c) * at(scale, c)) };
}

function readArithmetic(
  rewriter: GraphRewriter,
  node: GraphNode,
  value: string,
  shape: { readonly channels: number; readonly rank: number },
): ChannelAffine | undefined {
  if (!isOperator(node, 'Add', 'Sub', 'Mul', 'Div') || node.inputs.length !== 2) return undefined;
  const valueFirst = node.inputs[0] === value;
  const constant = perChannel(rewriter, node.inputs[valueFirst ? 1 : 0] ?? '', shape);
  if (constant === undefined) return undefined;
  const fill = (entry: number): Float64Array => new Float64Array(shape.channels).fill(entry);
  switch (node.opType) {
    case 'Add':
      return { scale: fill(1), shift: constant };
    case 'Sub':
      return valueFirst
        ? { scale: fill(1), shift: constant.map((entry) => -entry) }
        : { scale: fill(-1), shift: constant };
    case 'Mul':
      return { scale: constant, shift: fill(0) };
    default:
      return valueFirst ? { scale: constant.map((entry) => 1 / entry), shift: fill(0) } : undefined;
  }
}

/** A constant that broadcasts to [batch, channels, ...] and varies along the channels alone, as one value each. */
export function perChannel(
  rewriter: GraphRewriter,
  name: string,
  shape: { readonly channels: number; readonly rank: number },
): Float64Array | undefined {
  const tensor = rewriter.floats(name);
  if (tensor === undefined || tensor.dims.length > shape.rank) return undefined;
  const [first = 0] = tensor.data;
  if (tensor.data.length === 1) return new Float64Array(shape.channels).fill(first);
  const channelAxis = tensor.dims.length - (shape.rank - 1);
  const channelsAlone = tensor.dims.every((extent, axis) =>
    axis === channelAxis ? extent === shape.channels : extent === 1,
  );
  return channelAxis >= 0 && channelsAlone ? Float64Array.from(tensor.data) : undefined;
}

function at(values: ArrayLike<number>, index: number): number {
  return values[index] ?? 0;
}
