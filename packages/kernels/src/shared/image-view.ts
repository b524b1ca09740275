/**
 * An image tensor as [outer, height, width, inner] of stored elements, so that one kernel serves both layouts:
 *
 *   nchw   outer = batch * channels, inner = 1,            an element is one number
 *   nhwc4  outer = batch,            inner = channels / 4, an element is a vec4
 */
import type { Layout } from './layout.ts';
import { misfit } from './misfit.ts';

export interface ImageView {
  readonly outer: number;
  readonly height: number;
  readonly width: number;
  readonly inner: number;
  readonly lanes: 1 | 4;
}

/**
 * View of dims [batch, channels, (height,) width]; one spatial axis counts as height 1.
 * @throws GpuKernelShapeError for other ranks.
 */
export function imageView(operator: string, dims: readonly number[], layout: Layout): ImageView {
  if (dims.length !== 3 && dims.length !== 4) {
    throw misfit(
      operator,
      'rank',
      dims,
      '[batch, channels, width] or [batch, channels, height, width]; more is not built',
    );
  }
  const [batch = 0, channels = 0] = dims;
  const height = dims.length === 4 ? (dims[2] ?? 0) : 1;
  const width = dims.at(-1) ?? 0;
  return layout === 'nhwc4'
    ? { outer: batch, height, width, inner: Math.ceil(channels / 4), lanes: 4 }
    : { outer: batch * channels, height, width, inner: 1, lanes: 1 };
}

/** WGSL type of one stored element: `f32`, `u32`, `vec4f` or `vec4u`. */
export function elementType(base: 'f32' | 'u32', lanes: 1 | 4): ElementType {
  if (lanes === 1) return base;
  return base === 'f32' ? 'vec4f' : 'vec4u';
}

export type ElementType = 'f32' | 'u32' | 'vec4f' | 'vec4u';
