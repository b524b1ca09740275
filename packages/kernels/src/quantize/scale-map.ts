/**
 * Which scale (and zero point) belongs to each element of a tensor: one for all, one an index of an axis, or one a
 * block of consecutive indices of it. All three are one formula over the tensor seen as [outer, extent, inner]:
 *
 *   scale[o * outerStep + floor(a / block) * blockStep + i * innerStep]
 *
 * https://onnx.ai/onnx/operators/onnx__QuantizeLinear.html
 */
import { elementCount, type Layout, paddedChannels } from '../shared/layout.ts';
import { misfit, resolveAxis } from '../shared/misfit.ts';

export interface ScaleMap {
  readonly kind: 'tensor' | 'axis' | 'block';
  /** Stored extent of the axis: in `nhwc4` with the padding lanes. */
  readonly extent: number;
  /** Indices of the axis that hold elements. */
  readonly channels: number;
  readonly inner: number;
  readonly block: number;
  readonly outerStep: number;
  readonly blockStep: number;
  readonly innerStep: number;
}

export interface ScaleMapRequest {
  readonly dims: readonly number[];
  readonly scaleDims: readonly number[];
  /** Negative axes count from the end; unused where there is one scale. */
  readonly axis: number;
  /** 0: one scale an index of the axis. */
  readonly blockSize: number;
  /** `nhwc4` takes one scale, or one a channel (axis 1). */
  readonly layout: Layout;
}

/** @throws GpuKernelShapeError where the scales do not fit the tensor. */
export function makeScaleMap(operator: string, request: ScaleMapRequest): ScaleMap {
  const { dims, scaleDims, blockSize, layout } = request;
  if (!Number.isInteger(blockSize) || blockSize < 0) {
    throw misfit(operator, 'block_size', blockSize, 'a positive integer, or 0 for none');
  }
  if (blockSize === 0 && scaleDims.length <= 1 && elementCount(scaleDims) === 1)
    return oneScale(dims, layout);
  const axis = resolveAxis(operator, request.axis, dims.length);
  const extent = dims[axis] ?? 1;
  const inner = elementCount(dims.slice(axis + 1));
  if (blockSize === 0) {
    if (scaleDims.length !== 1 || scaleDims[0] !== extent) {
      throw misfit(operator, 'scale', scaleDims, `a scalar or [${extent}], one an index of axis ${axis}`);
    }
    const steps = { block: 1, outerStep: 0, blockStep: 1, innerStep: 0 };
    if (layout === 'nchw') return { kind: 'axis', extent, channels: extent, inner, ...steps };
    if (axis !== 1) throw misfit(operator, 'axis', axis, '1 in the layout nhwc4');
    return { kind: 'axis', extent: paddedChannels(extent), channels: extent, inner: 1, ...steps };
  }
  const blocks = Math.ceil(extent / blockSize);
  const expected = dims.map((size, index) => (index === axis ? blocks : size));
  if (layout !== 'nchw' || expected.join() !== scaleDims.join()) {
    throw misfit(
      operator,
      'scale',
      `[${scaleDims.join(', ')}] in ${layout}`,
      `[${expected.join(', ')}] in nchw`,
    );
  }
  return {
    kind: 'block',
    extent,
    channels: extent,
    inner,
    block: blockSize,
    outerStep: blocks * inner,
    blockStep: inner,
    innerStep: 1,
  };
}

function oneScale(dims: readonly number[], layout: Layout): ScaleMap {
  const steps = { block: 1, outerStep: 0, blockStep: 0, innerStep: 0, inner: 1 };
  if (layout === 'nchw') return { kind: 'tensor', extent: 1, channels: 1, ...steps };
  const channels = dims[1] ?? 1;
  return { kind: 'tensor', extent: paddedChannels(channels), channels, ...steps };
}

/** Names of the uniform words that `scaleIndexWgsl` reads. */
export const SCALE_FIELDS = [
  'extent',
  'channels',
  'inner',
  'block',
  'outer_step',
  'block_step',
  'inner_step',
].map((name) => `${name}: u32`);

export function scaleWords(map: ScaleMap): readonly number[] {
  return [map.extent, map.channels, map.inner, map.block, map.outerStep, map.blockStep, map.innerStep];
}

/** `fn scale_index(position: u32) -> u32` and `fn is_padding(position: u32) -> bool`. */
export const SCALE_INDEX = `
fn scale_index(position: u32) -> u32 {
  let row = position / params.inner;
  let index = min(row % params.extent, params.channels - 1u);
  return (row / params.extent) * params.outer_step + (index / params.block) * params.block_step
    + (position % params.inner) * params.inner_step;
}
fn is_padding(position: u32) -> bool {
  return (position / params.inner) % params.extent >= params.channels;
}`;
