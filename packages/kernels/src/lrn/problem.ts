/**
 * Local response normalisation across channels:
 *
 *   dst[c] = src[c] / (bias + alpha / size * sum over c' of src[c']^2)^beta,
 *   c' from c - floor((size - 1) / 2) to c + ceil((size - 1) / 2), channels that there are
 *
 * https://onnx.ai/onnx/operators/onnx__LRN.html; A. Krizhevsky et al., "ImageNet classification with deep
 * convolutional neural networks", 2012, section 3.3.
 */
import { GpuKernelShapeError } from '@onegpu/core';
import { elementCount, type Layout } from '../shared/layout.ts';
import { requireFinite, requireTensor } from '../shared/tensor-size.ts';

export interface LrnProblem {
  readonly layout: Layout;
  /** [batch, channels, ...spatial]. */
  readonly dims: readonly number[];
  readonly channels: number;
  /** Elements of one channel of one image. */
  readonly plane: number;
  /** Channels of a window before and after its own. */
  readonly before: number;
  readonly after: number;
  readonly size: number;
  readonly alpha: number;
  readonly beta: number;
  readonly bias: number;
}

export interface LrnRequest {
  readonly dims: readonly number[];
  readonly size: number;
  readonly alpha?: number;
  readonly beta?: number;
  readonly bias?: number;
  readonly layout?: Layout;
}

/** @throws GpuKernelShapeError for a rank below 2 (`nhwc4`: 3), and a size that is no positive integer. */
export function makeLrnProblem(request: LrnRequest): LrnProblem {
  const { dims, size, alpha = 1e-4, beta = 0.75, bias = 1, layout = 'nchw' } = request;
  const [, channels] = dims;
  if (channels === undefined || (layout === 'nhwc4' && dims.length < 3)) {
    throw new GpuKernelShapeError('the shape does not fit', {
      subject: 'LRN',
      field: 'dims',
      got: `[${dims.join(', ')}]`,
      expected: '[batch, channels, ...]',
    });
  }
  requireTensor('LRN', 'src', dims);
  requireFinite('LRN', 'alpha', alpha);
  requireFinite('LRN', 'beta', beta);
  requireFinite('LRN', 'bias', bias);
  if (!Number.isSafeInteger(size) || size < 1 || size >= 2 ** 31) {
    throw new GpuKernelShapeError('the window holds at least one channel', {
      subject: 'LRN',
      field: 'size',
      got: String(size),
      expected: 'an integer from 1 to 2^31 - 1',
    });
  }
  return {
    layout,
    dims,
    channels,
    plane: elementCount(dims.slice(2)),
    before: Math.floor((size - 1) / 2),
    after: Math.ceil((size - 1) / 2),
    size,
    alpha,
    beta,
    bias,
  };
}
