import { type OperandArray, sameKind } from '@onegpu/core';

/**
 * Memory layouts of an image tensor with logical dims [batch, channels, ...spatial].
 *
 * - `nchw`: dense and row-major, as ONNX writes it.
 * - `nhwc4`: [batch, ...spatial, channels padded to a multiple of 4], moved as vec4. The padding lanes always hold
 *   zero: whoever writes a tensor in this layout writes zeros there, so that whoever reads it may sum over them.
 */
export type Layout = 'nchw' | 'nhwc4';

/** Product of the extents; 1 for a scalar. */
export function elementCount(dims: readonly number[]): number {
  return dims.reduce((product, extent) => product * extent, 1);
}

/** Channels rounded up to a whole vec4. */
export function paddedChannels(channels: number): number {
  return Math.ceil(channels / 4) * 4;
}

/** Number of elements a tensor of these dims takes in the layout, padding included. */
export function layoutElements(dims: readonly number[], layout: Layout): number {
  const stored =
    layout === 'nchw' ? dims : dims.map((extent, axis) => (axis === 1 ? paddedChannels(extent) : extent));
  return elementCount(stored);
}

/** Rearranges a dense [batch, channels, ...spatial] array into `nhwc4`, on the host. */
export function packNhwc4<T extends OperandArray>(src: T, dims: readonly number[]): T {
  const [batch = 1, channels = 1, ...spatial] = dims;
  const plane = elementCount(spatial);
  const stride = paddedChannels(channels);
  const dst = sameKind(src, batch * plane * stride);
  for (let n = 0; n < batch; n++) {
    for (let c = 0; c < channels; c++) {
      const from = (n * channels + c) * plane;
      const to = n * plane * stride + c;
      for (let p = 0; p < plane; p++) dst[to + p * stride] = src[from + p] ?? 0;
    }
  }
  return dst;
}

/** Inverse of `packNhwc4`; drops the padding lanes. */
export function unpackNhwc4<T extends OperandArray>(src: T, dims: readonly number[]): T {
  const [batch = 1, channels = 1, ...spatial] = dims;
  const plane = elementCount(spatial);
  const stride = paddedChannels(channels);
  const dst = sameKind(src, batch * channels * plane);
  for (let n = 0; n < batch; n++) {
    for (let c = 0; c < channels; c++) {
      const to = (n * channels + c) * plane;
      const from = n * plane * stride + c;
      for (let p = 0; p < plane; p++) dst[to + p] = src[from + p * stride] ?? 0;
    }
  }
  return dst;
}
