/**
 * Two transposed convolutions with kernel = stride, one behind the other, the second to one channel: the end of a
 * text detection head. Every output element has one source pixel, one tap of each, and nothing is added across pixels.
 *
 *   mid[b, m, iy * kh + r, ix * kw + s] = hiddenActivation(sum over k of src[b, k, iy, ix] * firstWeights[k, m, r, s] + firstBias[m])
 *   dst[b, 0, ...]                      = activation(sum over m of mid[b, m, ...] * weights[m, 0, ...] + bias)
 *
 * src is nhwc4, dst dense. "Real-time Scene Text Detection with Differentiable Binarization", https://arxiv.org/abs/1911.08947
 */
import { GpuKernelShapeError } from '@onegpu/core';
import { type ConvTransposeProblem, makeConvTransposeProblem } from '../conv-transpose/problem.ts';
import { tapCount } from '../conv-transpose/spec.ts';
import type { Activation } from '../shared/activation.ts';

export interface ConvTransposePairProblem {
  /** Its epilogue is bias and activation. */
  readonly first: ConvTransposeProblem;
  /** Its src is what the first one makes; one output channel, dense. */
  readonly second: ConvTransposeProblem;
}

export interface ConvTransposePairRequest {
  /** [batch, ic, ih, iw]. */
  readonly srcDims: readonly number[];
  /** [ic, mid, kh, kw]; strides are the kernel's extents. */
  readonly firstWeightsDims: readonly number[];
  /** [mid, 1, kh, kw]. */
  readonly weightsDims: readonly number[];
  readonly firstBiasDims?: readonly number[] | undefined;
  readonly biasDims?: readonly number[] | undefined;
  readonly hiddenActivation?: readonly Activation[];
  readonly activation?: readonly Activation[];
}

const OPERATOR = 'ConvTransposePair';

/** Most channels between the two, which an invocation holds, and taps of the second. */
export const MOST_MID_CHANNELS = 64;
export const MOST_TAPS = 16;

/** @throws GpuKernelShapeError for shapes that do not fit, more channels or taps than are built. */
export function makeConvTransposePairProblem(request: ConvTransposePairRequest): ConvTransposePairProblem {
  const { srcDims, firstWeightsDims, weightsDims } = request;
  if (srcDims.length !== 4) fail('rank', String(srcDims.length), '4');
  const first = makeConvTransposeProblem({
    ...{ srcDims, weightsDims: firstWeightsDims, biasDims: request.firstBiasDims },
    ...{ strides: firstWeightsDims.slice(2), layout: 'nhwc4', weightsConstant: true },
    activation: request.hiddenActivation ?? [],
  });
  if (weightsDims[1] !== 1) fail('weights', `${weightsDims[1]} output channels`, '1');
  const second = makeConvTransposeProblem({
    ...{ srcDims: first.dstDims, weightsDims, biasDims: request.biasDims, strides: weightsDims.slice(2) },
    ...{ layout: 'nhwc4', dstLayout: 'nchw', weightsConstant: true },
    activation: request.activation ?? [],
  });
  if (first.oc > MOST_MID_CHANNELS)
    fail('firstWeights', `${first.oc} channels`, `at most ${MOST_MID_CHANNELS}`);
  if (tapCount(second) > MOST_TAPS) fail('weights', `${tapCount(second)} taps`, `at most ${MOST_TAPS}`);
  return { first, second };
}

function fail(field: string, got: string, expected: string): never {
  throw new GpuKernelShapeError('the operands do not fit', { subject: OPERATOR, field, got, expected });
}
