/** A chain of unary functions over every element of a tensor. */
import { GpuKernelShapeError } from '@onegpu/core';
import { type Activation, keepsZero } from '../shared/activation.ts';
import { type Layout, layoutElements } from '../shared/layout.ts';

export interface UnaryProblem {
  readonly dims: readonly number[];
  readonly layout: Layout;
  readonly activation: readonly Activation[];
  /** Stored elements, the padding of `nhwc4` included. */
  readonly elements: number;
  /** Channels that end inside a vec4 and must be masked because the chain moves zero; 0 when there is no need. */
  readonly maskedChannels: number;
}

export interface UnaryRequest {
  /** Any rank in `nchw`, at least 2 in `nhwc4`. */
  readonly dims: readonly number[];
  readonly layout: Layout;
  readonly activation: readonly Activation[];
}

/** @throws GpuKernelShapeError for dims that are no shape, or without channels in `nhwc4`. */
export function makeUnaryProblem({ dims, layout, activation }: UnaryRequest): UnaryProblem {
  if (!dims.every((extent) => Number.isSafeInteger(extent) && extent >= 0)) {
    throw new GpuKernelShapeError('extents must be non-negative integers', {
      subject: 'Unary',
      field: 'dims',
      got: `[${dims.join(', ')}]`,
    });
  }
  if (layout === 'nhwc4' && dims.length < 2) {
    throw new GpuKernelShapeError('the layout needs a channel axis', {
      subject: 'Unary',
      field: 'dims',
      got: `[${dims.join(', ')}]`,
      expected: 'rank 2 or more for nhwc4',
    });
  }
  const channels = dims[1] ?? 1;
  const masked = layout === 'nhwc4' && channels % 4 !== 0 && !keepsZero(activation);
  return {
    dims,
    layout,
    activation,
    elements: layoutElements(dims, layout),
    maskedChannels: masked ? channels : 0,
  };
}
