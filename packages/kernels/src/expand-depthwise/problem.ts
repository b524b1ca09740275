/**
 * A 1x1 convolution that widens the channels, its activation, and the depthwise convolution that reads it: the first
 * half of an inverted residual block. Channels last.
 *
 *   wide[n, m, y, x] = expandActivation(sum over c of expandWeights[m, c] * src[n, c, y, x] + expandBias[m])
 *   dst              = depthwise convolution of wide, its bias and activation
 *
 * "MobileNetV2", https://arxiv.org/abs/1801.04381
 */
import { GpuKernelShapeError } from '@onegpu/core';
import { type ConvProblem, type ConvRequest, isPointwise, makeConvProblem } from '../conv/problem.ts';

export interface ExpandDepthwiseProblem {
  /** The 1x1 convolution; its epilogue is bias and activation. */
  readonly expand: ConvProblem;
  /** Its src is what the first one makes. */
  readonly depthwise: ConvProblem;
}

export interface ExpandDepthwiseRequest {
  readonly expand: Omit<ConvRequest, 'layout'>;
  /** Windows and weights of the depthwise convolution. */
  readonly depthwise: Omit<ConvRequest, 'layout' | 'src' | 'groups'>;
}

/** @throws GpuKernelShapeError for shapes that do not fit, and convolutions of other kinds. */
export function makeExpandDepthwiseProblem(request: ExpandDepthwiseRequest): ExpandDepthwiseProblem {
  const expand = makeConvProblem({ ...request.expand, layout: 'nhwc4' }, NAME);
  const { batch, oc, oh, ow } = expand;
  const src = [batch, oc, oh, ow];
  const depthwise = makeConvProblem({ ...request.depthwise, src, groups: oc, layout: 'nhwc4' }, NAME);
  expectKind(
    'expand',
    isPointwise(expand) && expand.groups === 1,
    'a 1x1 convolution without groups or pads',
  );
  expectKind('depthwise', depthwise.oc === oc, 'one output channel a group');
  const residual = expand.epilogue.residual || depthwise.epilogue.residual;
  expectKind('residual', !residual, 'none');
  return { expand, depthwise };
}

const NAME = 'ExpandDepthwise';

function expectKind(field: string, holds: boolean, expected: string): void {
  if (holds) return;
  throw new GpuKernelShapeError('the convolution is of another kind', { subject: NAME, field, expected });
}
