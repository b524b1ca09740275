/**
 * Deformable convolution over one to three spatial axes: every tap of every output element is moved by an offset of its
 * own and read between elements, linearly along each axis, with zeros outside. Over two axes
 *
 *   dst[n, o, y, x] = sum over c, r, s of sample(n, c, y * strideH - padTop + r * dilationH + dy, ...)
 *                     * mask[n, d, tap, y, x] * weights[o, c, r, s]
 *
 * with dy = offset[n, (d * taps + tap) * 2, y, x], dx the plane behind it, tap = r * kw + s, and d = c / (ic / offsetGroups);
 * a tap has as many planes of offsets as there are axes, in their order. Without a mask it is one. Dai and others,
 * "Deformable Convolutional Networks" (https://arxiv.org/abs/1703.06211), Zhu and others
 * (https://arxiv.org/abs/1811.11168) for the mask; https://onnx.ai/onnx/operators/onnx__DeformConv.html
 */
import { type ConvProblem, type ConvRequest, makeConvProblem } from '../conv/problem.ts';
import { misfit } from '../shared/misfit.ts';
import type { VolumeWindow } from '../shared/volume.ts';
import { makeVolumeConvProblem, volumeConvDstDims, volumeProduct } from '../volume-conv/problem.ts';

export interface DeformConvProblem {
  /**
   * The convolution it would be without offsets; layout `nchw`. One axis is a picture of height 1; of a volume this is
   * the product behind it, with rows of all planes one below the other.
   */
  readonly conv: ConvProblem;
  /** Windows of three spatial axes; undefined for fewer. */
  readonly volume: VolumeWindow | undefined;
  /** Spatial axes, 1 to 3: planes of offsets a tap. */
  readonly axes: number;
  /** [batch, oc, ...spatial] */
  readonly dstDims: readonly number[];
  /** Groups of input channels that share offsets and mask. */
  readonly offsetGroups: number;
  readonly mask: boolean;
}

export interface DeformConvRequest extends Omit<ConvRequest, 'layout'> {
  /** [batch, ic, ...spatial] */
  readonly src: readonly number[];
  /** [oc, ic / groups, ...kernel] */
  readonly weights: readonly number[];
  /** [batch, offsetGroups * taps * axes, ...spatial of dst] */
  readonly offset: readonly number[];
  /** [batch, offsetGroups * taps, ...spatial of dst]; absent: no mask. */
  readonly mask?: readonly number[] | undefined;
  readonly offsetGroups?: number | undefined;
}

const OPERATOR = 'DeformConv';

/** @throws GpuKernelShapeError for ranks, channels, attributes, offsets or a mask that do not fit. */
export function makeDeformConvProblem(request: DeformConvRequest): DeformConvProblem {
  const { src, offset, mask, offsetGroups = 1 } = request;
  const axes = src.length - 2;
  if (axes < 1 || axes > 3) throw misfit(OPERATOR, 'rank', src.length, '3 to 5, one to three spatial axes');
  const { conv, volume, dstDims } = axes === 3 ? volumeOf(request) : pictureOf(request);
  if (!Number.isSafeInteger(offsetGroups) || offsetGroups < 1 || conv.ic % offsetGroups !== 0) {
    throw misfit(OPERATOR, 'offset_group', offsetGroups, `a divisor of the ${conv.ic} input channels`);
  }
  const [batch = 0, , ...spatial] = dstDims;
  const planes = offsetGroups * conv.kh * conv.kw;
  expectDims('offset', offset, [batch, axes * planes, ...spatial]);
  if (mask !== undefined) expectDims('mask', mask, [batch, planes, ...spatial]);
  return { conv, volume, axes, dstDims, offsetGroups, mask: mask !== undefined };
}

type Convolution = Pick<DeformConvProblem, 'conv' | 'volume' | 'dstDims'>;

function pictureOf(request: DeformConvRequest): Convolution {
  const conv = makeConvProblem({ ...request, layout: 'nchw' }, OPERATOR);
  const { batch, oc, oh, ow } = conv;
  return {
    conv,
    volume: undefined,
    dstDims: request.src.length === 3 ? [batch, oc, ow] : [batch, oc, oh, ow],
  };
}

function volumeOf(request: DeformConvRequest): Convolution {
  const problem = makeVolumeConvProblem(request, OPERATOR);
  const { depth, height, width } = problem;
  return {
    ...{ conv: volumeProduct(problem), volume: { depth, height, width } },
    dstDims: volumeConvDstDims(problem),
  };
}

function expectDims(field: string, got: readonly number[], expected: readonly number[]): void {
  if (String(got) !== String(expected)) throw misfit(OPERATOR, field, got, expected);
}
