/**
 * Normalisations at inference.
 *
 *   batch     y = (x - mean[c]) * scale[c] / sqrt(variance[c] + epsilon) + bias[c], statistics given
 *   instance  the same with the statistics of each image and channel
 *   layer     the statistics of each row of the trailing axes, scale and bias for each element of a row
 *
 * https://onnx.ai/onnx/operators/onnx__BatchNormalization.html, onnx__InstanceNormalization.html,
 * onnx__LayerNormalization.html
 */
import { elementCount, type Layout, paddedChannels } from '../shared/layout.ts';
import { misfit } from '../shared/misfit.ts';

export interface BatchNormProblem {
  readonly layout: Layout;
  /** [batch, channels, ...spatial]. */
  readonly dims: readonly number[];
  readonly channels: number;
  /** Channels as stored: padded to a multiple of 4 in `nhwc4`. */
  readonly storedChannels: number;
  readonly plane: number;
  readonly epsilon: number;
}

/** @throws GpuKernelShapeError for a rank below 2. */
export function makeBatchNormProblem(request: {
  readonly dims: readonly number[];
  readonly epsilon: number;
  readonly layout?: Layout;
}): BatchNormProblem {
  const { dims, epsilon, layout = 'nchw' } = request;
  const [, channels] = dims;
  if (channels === undefined || (layout === 'nhwc4' && dims.length < 3)) {
    throw misfit('BatchNormalization', 'dims', dims, '[batch, channels, ...]');
  }
  return {
    layout,
    dims,
    channels,
    storedChannels: layout === 'nhwc4' ? paddedChannels(channels) : channels,
    plane: elementCount(dims.slice(2)),
    epsilon,
  };
}

export interface RowNormProblem {
  readonly operation: 'instance-norm' | 'layer-norm';
  readonly dims: readonly number[];
  /** Rows that are normalised on their own, and elements in one. */
  readonly rows: number;
  readonly extent: number;
  /** Elements of scale and bias: channels (one a row, in turn) or the extent (one an element). */
  readonly parameters: number;
  readonly bias: boolean;
  readonly epsilon: number;
  /** Statistics that are results too, one a row: operands `row_mean` and `row_inverse_deviation`. */
  readonly statistics: readonly RowStatistic[];
}

export type RowStatistic = 'mean' | 'inverse-deviation';

/** @throws GpuKernelShapeError for a rank below 3. */
export function makeInstanceNormProblem(dims: readonly number[], epsilon: number): RowNormProblem {
  const [batch = 0, channels = 0, ...spatial] = dims;
  if (spatial.length === 0)
    throw misfit('InstanceNormalization', 'dims', dims, '[batch, channels, ...spatial]');
  return {
    operation: 'instance-norm',
    dims,
    rows: batch * channels,
    extent: spatial.reduce((product, value) => product * value, 1),
    parameters: channels,
    bias: true,
    epsilon,
    statistics: [],
  };
}

/** @throws GpuKernelShapeError for an axis out of range or a scale that is not one number an element of a row. */
export function makeLayerNormProblem(request: {
  readonly dims: readonly number[];
  readonly axis: number;
  readonly scaleElements: number;
  readonly bias: boolean;
  readonly epsilon: number;
  readonly statistics?: readonly RowStatistic[];
}): RowNormProblem {
  const { dims, axis, scaleElements, bias, epsilon, statistics = [] } = request;
  const at = axis < 0 ? axis + dims.length : axis;
  if (!Number.isInteger(at) || at < 0 || at >= dims.length) {
    throw misfit('LayerNormalization', 'dims', dims, `axis ${axis} within the rank`);
  }
  const product = (extents: readonly number[]): number =>
    extents.reduce((value, extent) => value * extent, 1);
  const extent = product(dims.slice(at));
  if (scaleElements !== extent) {
    throw misfit(
      'LayerNormalization',
      'scale',
      `${scaleElements} elements`,
      `${extent}, broadcasting is not built`,
    );
  }
  const rows = product(dims.slice(0, at));
  return { operation: 'layer-norm', dims, rows, extent, parameters: extent, bias, epsilon, statistics };
}
