/**
 * An element-wise function of two tensors with numpy broadcasting, a chain of unary functions behind it.
 *
 * In `nhwc4` the result has rank 3 or more and is treated as vec4 over [batch, ...spatial, channel groups]; an
 * operand is a tensor of the same rank in `nhwc4` with each extent full or one, a constant of any smaller rank
 * (packed at load), or a single element in any layout. An operand with one channel is repeated from lane x.
 */
import type { Activation } from '../shared/activation.ts';
import { type BroadcastAxis, broadcastDims, mergeAxes } from '../shared/broadcast.ts';
import { type Layout, layoutElements, paddedChannels } from '../shared/layout.ts';
import { misfit } from '../shared/misfit.ts';
import type { BinaryFunction } from './functions.wgsl.ts';

export interface BinaryOperand {
  readonly dims: readonly number[];
  /** Layout it arrives in; a constant arrives dense (`nchw`) and is packed where the result is `nhwc4`. */
  readonly layout: Layout;
  readonly constant: boolean;
}

export interface BinaryRequest {
  readonly function: BinaryFunction;
  readonly lhs: BinaryOperand;
  readonly rhs: BinaryOperand;
  /** Of the result. */
  readonly layout: Layout;
  readonly activation: readonly Activation[];
}

export interface PlannedOperand extends BinaryOperand {
  /** Dims with leading ones up to the result's rank. */
  readonly aligned: readonly number[];
  /** A constant that must be rearranged into `nhwc4`. */
  readonly packed: boolean;
  /** One channel repeated over the lanes of a vec4. */
  readonly repeatLane: boolean;
}

export interface BinaryProblem {
  readonly function: BinaryFunction;
  readonly lhs: PlannedOperand;
  readonly rhs: PlannedOperand;
  readonly layout: Layout;
  readonly activation: readonly Activation[];
  readonly dims: readonly number[];
  /** Stored elements of the result, padding included. */
  readonly elements: number;
  /** Merged axes, counted in elements (`nchw`) or vec4 (`nhwc4`); operand 0 is `lhs`. */
  readonly axes: readonly BroadcastAxis[];
}

/** @throws GpuKernelShapeError where shapes do not broadcast or an operand does not lie as the result needs. */
export function makeBinaryProblem(request: BinaryRequest): BinaryProblem {
  const { lhs, rhs, layout, activation } = request;
  const dims = broadcastDims('Binary', [lhs.dims, rhs.dims]);
  if (layout === 'nhwc4' && dims.length < 3) {
    throw misfit('Binary', 'layout', `nhwc4 for [${dims.join(', ')}]`, 'a result of rank 3 or more');
  }
  const operands = [planOperand('lhs', lhs, dims, layout), planOperand('rhs', rhs, dims, layout)] as const;
  const stored = (shape: readonly number[]): readonly number[] =>
    layout === 'nchw' ? shape : vectorDims(shape);
  const axes = mergeAxes(
    stored(dims),
    operands.map((operand) => stored(operand.aligned)),
  );
  return {
    function: request.function,
    lhs: operands[0],
    rhs: operands[1],
    layout,
    activation,
    dims,
    elements: layoutElements(dims, layout),
    axes,
  };
}

/** [batch, ...spatial, channel groups] of a tensor in `nhwc4`. */
function vectorDims([batch = 1, channels = 1, ...spatial]: readonly number[]): readonly number[] {
  return [batch, ...spatial, paddedChannels(channels) / 4];
}

function planOperand(
  field: 'lhs' | 'rhs',
  operand: BinaryOperand,
  dims: readonly number[],
  layout: Layout,
): PlannedOperand {
  const aligned = [...new Array<number>(dims.length - operand.dims.length).fill(1), ...operand.dims];
  const single = operand.dims.every((extent) => extent === 1);
  const packed = layout === 'nhwc4' && operand.layout === 'nchw' && operand.constant && !single;
  const fits =
    operand.layout === layout ? operand.dims.length === dims.length || layout === 'nchw' : packed || single;
  if (!fits && !packed && !single) {
    throw misfit(
      'Binary',
      field,
      `${operand.layout} [${operand.dims.join(', ')}]`,
      `${layout} of rank ${dims.length}, the layout of the result`,
    );
  }
  const repeatLane = layout === 'nhwc4' && (aligned[1] ?? 1) === 1 && (dims[1] ?? 1) !== 1;
  return { ...operand, aligned, packed, repeatLane };
}
