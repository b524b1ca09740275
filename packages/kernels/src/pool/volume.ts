/**
 * One, two or three spatial axes seen as depth, height and width: an absent axis has the extent 1. A tensor is then
 * [outer, depth, height, width, inner] of stored elements, one view for both layouts:
 *
 *   nchw   outer = batch * channels, inner = 1,            an element is one number
 *   nhwc4  outer = batch,            inner = channels / 4, an element is a vec4
 */
import { GpuKernelShapeError } from '@onegpu/core';
import type { AxisWindow } from '../shared/conv-geometry.ts';
import type { Layout } from '../shared/layout.ts';

export interface VolumeView {
  readonly outer: number;
  readonly depth: number;
  readonly height: number;
  readonly width: number;
  readonly inner: number;
  readonly lanes: 1 | 4;
}

/** Stored elements of a volume. */
export function volumeElements({ outer, depth, height, width, inner }: VolumeView): number {
  return outer * depth * height * width * inner;
}

/**
 * View of dims [batch, channels, (depth, (height,)) width].
 * @throws GpuKernelShapeError for other ranks.
 */
export function volumeView(operator: string, dims: readonly number[], layout: Layout): VolumeView {
  const [batch = 0, channels = 0, ...spatial] = dims;
  const [depth, height, width] = liftExtents(operator, spatial, 1);
  return layout === 'nhwc4'
    ? { outer: batch, depth, height, width, inner: Math.ceil(channels / 4), lanes: 4 }
    : { outer: batch * channels, depth, height, width, inner: 1, lanes: 1 };
}

/** Windows of depth, height and width; an absent axis has one tap. @throws GpuKernelShapeError for four and more. */
export function liftWindows(
  operator: string,
  windows: readonly AxisWindow[],
): readonly [AxisWindow, AxisWindow, AxisWindow] {
  return liftExtents(operator, windows, UNIT_AXIS);
}

function liftExtents<T>(operator: string, axes: readonly T[], unit: T): readonly [T, T, T] {
  const [first, second, third] = axes;
  if (axes.length === 1 && first !== undefined) return [unit, unit, first];
  if (axes.length === 2 && first !== undefined && second !== undefined) return [unit, first, second];
  if (axes.length === 3 && first !== undefined && second !== undefined && third !== undefined) {
    return [first, second, third];
  }
  throw new GpuKernelShapeError('one, two or three spatial axes are built', {
    subject: operator,
    field: 'rank',
    got: `${Math.max(axes.length, 0)} spatial axes`,
    expected: '1 to 3',
  });
}

const UNIT_AXIS: AxisWindow = {
  input: 1,
  output: 1,
  kernel: 1,
  stride: 1,
  dilation: 1,
  padBegin: 0,
  padEnd: 0,
};
