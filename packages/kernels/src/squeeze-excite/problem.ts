/**
 * Squeeze-excite: one factor a channel from the means of a picture's channels, through two small products.
 *
 *   mean[n, c]   = sum over pixels of src[n, c, pixel] / pixels
 *   hidden[n, h] = hiddenActivation(sum over c of squeezeWeights[h, c] * mean[n, c] + squeezeBias[h])
 *   dst[n, o]    = activation(sum over h of exciteWeights[o, h] * hidden[n, h] + exciteBias[o])
 *
 * "Squeeze-and-Excitation Networks", https://arxiv.org/abs/1709.01507. Channels last; dst is [batch, outputs, 1, 1].
 */
import { GpuKernelShapeError } from '@onegpu/core';
import type { Activation } from '../shared/activation.ts';

export interface SqueezeExciteProblem {
  readonly batch: number;
  readonly channels: number;
  readonly height: number;
  readonly width: number;
  readonly hidden: number;
  readonly outputs: number;
  readonly squeezeBias: boolean;
  readonly exciteBias: boolean;
  readonly hiddenActivation: readonly Activation[];
  readonly activation: readonly Activation[];
  /** Whether weights and biases are known when the plan is made, so that they can be packed on the host. */
  readonly weightsConstant: boolean;
}

export interface SqueezeExciteRequest
  extends Omit<SqueezeExciteProblem, 'batch' | 'channels' | 'height' | 'width' | 'hidden' | 'outputs'> {
  /** [batch, channels, height, width] */
  readonly src: readonly number[];
  /** [hidden, channels], or [hidden, channels, 1, 1]. */
  readonly squeezeWeights: readonly number[];
  /** [outputs, hidden], or [outputs, hidden, 1, 1]. */
  readonly exciteWeights: readonly number[];
}

/** @throws GpuKernelShapeError for ranks and channels that do not fit. */
export function makeSqueezeExciteProblem(request: SqueezeExciteRequest): SqueezeExciteProblem {
  const { src, squeezeWeights, exciteWeights, ...rest } = request;
  const [batch = 0, channels = 0, height = 0, width = 0] = src;
  const [hidden = 0] = squeezeWeights;
  const [outputs = 0] = exciteWeights;
  expectDims('src', src, [batch, channels, height, width]);
  expectDims('squeezeWeights', matrixOf(squeezeWeights), [hidden, channels]);
  expectDims('exciteWeights', matrixOf(exciteWeights), [outputs, hidden]);
  return { batch, channels, height, width, hidden, outputs, ...rest };
}

/** Dims without the taps of a 1x1 convolution. */
function matrixOf(dims: readonly number[]): readonly number[] {
  return dims.length === 4 && dims[2] === 1 && dims[3] === 1 ? dims.slice(0, 2) : dims;
}

function expectDims(field: string, got: readonly number[], expected: readonly number[]): void {
  if (String(got) === String(expected)) return;
  throw new GpuKernelShapeError('the shapes do not fit', {
    subject: 'SqueezeExcite',
    field,
    got: `[${got.join(', ')}]`,
    expected: `[${expected.join(', ')}]`,
  });
}

/** Pixels of one picture. */
export function pixelsOf({ height, width }: SqueezeExciteProblem): number {
  return height * width;
}

/** vec4 a pixel of src, of the hidden values and of dst. */
export function quadsOf({ channels, hidden, outputs }: SqueezeExciteProblem): {
  readonly src: number;
  readonly hidden: number;
  readonly dst: number;
} {
  return { src: Math.ceil(channels / 4), hidden: Math.ceil(hidden / 4), dst: Math.ceil(outputs / 4) };
}
