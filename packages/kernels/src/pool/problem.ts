/**
 * Max, average and Lp pooling over one to three spatial axes.
 * https://onnx.ai/onnx/operators/onnx__MaxPool.html, https://onnx.ai/onnx/operators/onnx__AveragePool.html,
 * https://onnx.ai/onnx/operators/onnx__LpPool.html
 */
import { GpuKernelShapeError } from '@onegpu/core';
import { makeReduceProblem, type ReduceProblem } from '../reduce/problem.ts';
import { type AxisWindow, type SlidingRequest, slidingWindows } from '../shared/conv-geometry.ts';
import type { Layout } from '../shared/layout.ts';
import { misfit } from '../shared/misfit.ts';
import { requireTensor } from '../shared/tensor-size.ts';
import { liftWindows, type VolumeView, volumeView } from './volume.ts';

/** `lp` is the p-th root of the sum of the p-th powers of the sizes. */
export type PoolOperation = 'max' | 'average' | 'lp';

/**
 * Kernels compute float16 as float32; only the lowest finite value, which an empty maximum gives, differs. Maxima are
 * also taken of bytes.
 */
export type PoolElement = 'float32' | 'float16' | 'int8' | 'uint8';

/** Bits of the lowest finite value: of the number as float32, or of the byte. */
export const LOWEST_BITS: Readonly<Record<PoolElement, number>> = {
  float32: 0xff7fffff,
  float16: 0xc77fe000,
  int8: 0x80,
  uint8: 0,
};

export function isFloat(element: PoolElement): boolean {
  return element === 'float32' || element === 'float16';
}

/**
 * Order in which the spatial axes count in the flat index of a maximum; batch and channels always come first.
 * `column-major`: the first spatial axis fastest, depth + height*DEPTH + width*DEPTH*HEIGHT.
 */
export type IndexOrder = 'row-major' | 'column-major';

export interface PoolProblem {
  readonly operation: PoolOperation;
  readonly layout: Layout;
  readonly element: PoolElement;
  /** [batch, channels, (depth, (height,)) width]. */
  readonly srcDims: readonly number[];
  readonly dstDims: readonly number[];
  readonly src: VolumeView;
  readonly dst: VolumeView;
  readonly channels: number;
  readonly depth: AxisWindow;
  readonly height: AxisWindow;
  readonly width: AxisWindow;
  /** Average only: padding counts in the divisor (what lies beyond the padding never does). */
  readonly countIncludePad: boolean;
  /** The p of `lp`. */
  readonly power: number;
  /** Max only: operand `indices`, int64 and dense, tells where in `src` each maximum lies. */
  readonly indices: IndexOrder | undefined;
}

export interface PoolRequest extends SlidingRequest {
  readonly operation: PoolOperation;
  readonly dims: readonly number[];
  readonly layout?: Layout;
  readonly element?: PoolElement;
  readonly countIncludePad?: boolean;
  readonly power?: number;
  readonly indices?: IndexOrder | undefined;
}

const NAMES: Readonly<Record<PoolOperation, string>> = {
  max: 'MaxPool',
  average: 'AveragePool',
  lp: 'LpPool',
};

/** ONNX's name of the operator. */
export function poolName(operation: PoolOperation): string {
  return NAMES[operation];
}

/**
 * @throws GpuKernelShapeError for a rank other than 3 to 5, bytes that are averaged, indices in `nhwc4`, a power that
 *   is not above zero, and whatever `slidingWindows` refuses.
 */
export function makePoolProblem(request: PoolRequest): PoolProblem {
  const { operation, dims, layout = 'nchw', element = 'float32', power = 2, indices } = request;
  const name = poolName(operation);
  requireTensor(name, 'src', dims);
  const src = volumeView(name, dims, layout);
  const windows = slidingWindows(name, dims.slice(2), request);
  const [depth, height, width] = liftWindows(name, windows);
  const dstDims = [...dims.slice(0, 2), ...windows.map((axis) => axis.output)];
  if (operation !== 'max' && !isFloat(element)) throw misfit(name, 'type', element, 'float32');
  if (indices !== undefined && (operation !== 'max' || layout !== 'nchw')) {
    throw misfit(name, 'indices', `${operation} in ${layout}`, 'maxima in nchw');
  }
  requirePower(name, power);
  requireTensor(name, 'dst', dstDims);
  return {
    operation,
    layout,
    element,
    srcDims: dims,
    dstDims,
    src,
    dst: volumeView(name, dstDims, layout),
    channels: dims[1] ?? 0,
    depth,
    height,
    width,
    countIncludePad: request.countIncludePad ?? false,
    power,
    indices,
  };
}

export interface GlobalPoolRequest {
  readonly operation: PoolOperation;
  readonly dims: readonly number[];
  readonly layout?: Layout;
  readonly power?: number;
  /** What the maximum over no elements is the lowest value of; default float32. */
  readonly element?: 'float32' | 'float16';
}

/**
 * Global pooling is the reduction over all spatial axes, dims kept. Any number of spatial axes.
 * @throws GpuKernelShapeError where there is no spatial axis, and for a power that is not above zero.
 */
export function makeGlobalPoolProblem(request: GlobalPoolRequest): ReduceProblem {
  const { operation, dims, layout = 'nchw', power = 2, element = 'float32' } = request;
  const name = `Global${poolName(operation)}`;
  if (dims.length < 3) {
    throw new GpuKernelShapeError('pooling needs a spatial axis', {
      subject: name,
      field: 'rank',
      got: `[${dims.join(', ')}]`,
      expected: '[batch, channels, ...spatial]',
    });
  }
  requirePower(name, power);
  requireTensor(name, 'src', dims);
  return makeReduceProblem({
    operation: { max: 'pool-max', average: 'mean', lp: 'lp' }[operation] as 'pool-max' | 'mean' | 'lp',
    power,
    ...(operation === 'max' ? { emptyBits: LOWEST_BITS[element] } : {}),
    dims,
    axes: dims.slice(2).map((_, axis) => axis + 2),
    keepDims: true,
    layout,
  });
}

function requirePower(subject: string, power: number): void {
  if (Number.isFinite(power) && power > 0) return;
  throw misfit(subject, 'p', power, 'a number above 0');
}
