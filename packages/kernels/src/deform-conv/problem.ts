/**
 * Deformable convolution over two spatial axes: every tap of every output pixel is moved by an offset of its own and read
 * between pixels, bilinearly, with zeros outside the picture.
 *
 *   dst[n, o, y, x] = sum over c, r, s of sample(n, c, y * strideH - padTop + r * dilationH + dy, ...)
 *                     * mask[n, d, tap, y, x] * weights[o, c, r, s]
 *
 * with dy = offset[n, (d * taps + tap) * 2, y, x], dx the plane behind it, tap = r * kw + s, and d = c / (ic / offsetGroups).
 * Without a mask it is one. Dai and others, "Deformable Convolutional Networks" (https://arxiv.org/abs/1703.06211), Zhu and
 * others (https://arxiv.org/abs/1811.11168) for the mask; https://onnx.ai/onnx/operators/onnx__DeformConv.html
 */
import { GpuKernelShapeError } from '@onegpu/core';
import { type ConvProblem, type ConvRequest, makeConvProblem } from '../conv/problem.ts';

export interface DeformConvProblem {
  /** The convolution it would be without offsets; layout `nchw`. */
  readonly conv: ConvProblem;
  /** Groups of input channels that share offsets and mask. */
  readonly offsetGroups: number;
  readonly mask: boolean;
}

export interface DeformConvRequest extends Omit<ConvRequest, 'layout'> {
  /** [batch, offsetGroups * kh * kw * 2, oh, ow] */
  readonly offset: readonly number[];
  /** [batch, offsetGroups * kh * kw, oh, ow]; absent: no mask. */
  readonly mask?: readonly number[] | undefined;
  readonly offsetGroups?: number | undefined;
}

const OPERATOR = 'DeformConv';

/** @throws GpuKernelShapeError for ranks, channels, attributes, offsets or a mask that do not fit. */
export function makeDeformConvProblem(request: DeformConvRequest): DeformConvProblem {
  const { src, offset, mask, offsetGroups = 1 } = request;
  if (src.length !== 4) fail('rank', String(src.length), '4, two spatial axes');
  const conv = makeConvProblem({ ...request, layout: 'nchw' }, OPERATOR);
  if (!Number.isSafeInteger(offsetGroups) || offsetGroups < 1 || conv.ic % offsetGroups !== 0) {
    fail('offset_group', String(offsetGroups), `a divisor of the ${conv.ic} input channels`);
  }
  expectDims('offset', offset, offsetDims(conv, 2 * offsetGroups));
  if (mask !== undefined) expectDims('mask', mask, offsetDims(conv, offsetGroups));
  return { conv, offsetGroups, mask: mask !== undefined };
}

/** [batch, planes a tap, oh, ow] */
function offsetDims({ batch, kh, kw, oh, ow }: ConvProblem, planes: number): readonly number[] {
  return [batch, planes * kh * kw, oh, ow];
}

function expectDims(field: string, got: readonly number[], expected: readonly number[]): void {
  if (String(got) !== String(expected)) fail(field, `[${got.join(', ')}]`, `[${expected.join(', ')}]`);
}

function fail(field: string, got: string, expected: string): never {
  throw new GpuKernelShapeError('the shapes do not fit', { subject: OPERATOR, field, got, expected });
}
