/**
 * Max and average pooling over one or two spatial axes.
 * https://onnx.ai/onnx/operators/onnx__MaxPool.html, https://onnx.ai/onnx/operators/onnx__AveragePool.html
 */
import { GpuKernelShapeError } from '@onegpu/core';
import { makeReduceProblem, type ReduceProblem } from '../reduce/problem.ts';
import { type AxisWindow, liftTo2d, type SlidingRequest, slidingWindows } from '../shared/conv-geometry.ts';
import { type ImageView, imageView } from '../shared/image-view.ts';
import type { Layout } from '../shared/layout.ts';

export type PoolOperation = 'max' | 'average';

export interface PoolProblem {
  readonly operation: PoolOperation;
  readonly layout: Layout;
  /** [batch, channels, (height,) width]. */
  readonly srcDims: readonly number[];
  readonly dstDims: readonly number[];
  readonly src: ImageView;
  readonly dst: ImageView;
  readonly channels: number;
  readonly height: AxisWindow;
  readonly width: AxisWindow;
  /** Average only: padding counts in the divisor (what lies beyond the padding never does). */
  readonly countIncludePad: boolean;
}

export interface PoolRequest extends SlidingRequest {
  readonly operation: PoolOperation;
  readonly dims: readonly number[];
  readonly layout?: Layout;
  readonly countIncludePad?: boolean;
}

/** @throws GpuKernelShapeError for a rank other than 3 or 4 and whatever `slidingWindows` refuses. */
export function makePoolProblem(request: PoolRequest): PoolProblem {
  const { operation, dims, layout = 'nchw', countIncludePad = false } = request;
  const name = operation === 'max' ? 'MaxPool' : 'AveragePool';
  const src = imageView(name, dims, layout);
  const windows = slidingWindows(name, dims.slice(2), request);
  const [height, width] = liftTo2d(name, windows);
  const dstDims = [...dims.slice(0, 2), ...windows.map((axis) => axis.output)];
  const dst = imageView(name, dstDims, layout);
  return {
    operation,
    layout,
    srcDims: dims,
    dstDims,
    src,
    dst,
    channels: dims[1] ?? 0,
    height,
    width,
    countIncludePad,
  };
}

/**
 * Global pooling is the reduction over all spatial axes, dims kept. Any number of spatial axes in `nchw`.
 * @throws GpuKernelShapeError where there is no spatial axis.
 */
export function makeGlobalPoolProblem(request: {
  readonly operation: PoolOperation;
  readonly dims: readonly number[];
  readonly layout?: Layout;
}): ReduceProblem {
  const { operation, dims, layout = 'nchw' } = request;
  if (dims.length < 3) {
    throw new GpuKernelShapeError('pooling needs a spatial axis', {
      subject: operation === 'max' ? 'GlobalMaxPool' : 'GlobalAveragePool',
      field: 'rank',
      got: `[${dims.join(', ')}]`,
      expected: '[batch, channels, ...spatial]',
    });
  }
  return makeReduceProblem({
    operation: operation === 'max' ? 'pool-max' : 'mean',
    dims,
    axes: dims.slice(2).map((_, axis) => axis + 2),
    keepDims: true,
    layout,
  });
}
