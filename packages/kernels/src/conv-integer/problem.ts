/**
 * Convolution of bytes with int32 sums that wrap around, over one to three spatial axes:
 *
 *   dst[n, o, p] = sum over c, t of (src[n, c, p*stride + t*dilation - pad] - zx) * (weights[o, c, t] - zw[o])
 *
 * where taps outside the picture contribute nothing. https://onnx.ai/onnx/operators/onnx__ConvInteger.html
 */
import { type AxisWindow, type SlidingRequest, slidingWindows } from '../shared/conv-geometry.ts';
import type { Layout } from '../shared/layout.ts';
import { misfit } from '../shared/misfit.ts';
import type { ByteType } from '../shared/quantized-type.ts';
import { requireTensor } from '../shared/tensor-size.ts';

export interface ConvIntegerProblem {
  readonly layout: Layout;
  readonly srcType: ByteType;
  readonly weightsType: ByteType;
  /** [batch, ic, ...spatial], [oc, ic / groups, ...kernel], [batch, oc, ...spatial]. */
  readonly srcDims: readonly number[];
  readonly weightsDims: readonly number[];
  readonly dstDims: readonly number[];
  readonly batch: number;
  readonly ic: number;
  readonly oc: number;
  readonly groups: number;
  /** Depth, height and width; axes that the tensor lacks have one element and one tap. */
  readonly axes: readonly [AxisWindow, AxisWindow, AxisWindow];
  readonly srcZeroPoint: boolean;
  readonly weightsZeroPoint: 'none' | 'one' | 'channel';
  /** `weights` are known at load and may be packed. */
  readonly weightsConstant: boolean;
  /** The weights lie as [ic, oc]: the right side of a matrix product. */
  readonly weightsTransposed: boolean;
}

export interface ConvIntegerRequest extends Omit<SlidingRequest, 'kernel' | 'ceilMode'> {
  readonly operator?: string;
  readonly srcType: ByteType;
  readonly weightsType: ByteType;
  readonly src: readonly number[];
  readonly weights: readonly number[];
  readonly groups?: number;
  readonly layout?: Layout;
  readonly srcZeroPoint?: boolean;
  /** Dims of the weights' zero point: a scalar, [1] or [oc]; absent: there is none. */
  readonly weightsZeroPointDims?: readonly number[] | undefined;
  readonly weightsConstant?: boolean;
}

/** @throws GpuKernelShapeError for ranks, channels, groups and zero points that do not fit. */
export function makeConvIntegerProblem(request: ConvIntegerRequest): ConvIntegerProblem {
  const { operator = 'ConvInteger', src, weights, groups = 1 } = request;
  const [batch = 0, ic = 0, ...spatial] = src;
  const [oc = 0, icPerGroup = 0, ...kernel] = weights;
  if (spatial.length < 1 || spatial.length > 3 || kernel.length !== spatial.length) {
    throw misfit(
      operator,
      'w',
      `[${weights.join(', ')}] over [${src.join(', ')}]`,
      'one to three spatial axes in both',
    );
  }
  if (!Number.isInteger(groups) || groups < 1 || oc % groups !== 0) {
    throw misfit(operator, 'group', groups, `a divisor of ${oc} output channels`);
  }
  if (icPerGroup * groups !== ic) {
    throw misfit(operator, 'w', `${icPerGroup} channels in ${groups} groups`, `${ic} channels, as x has`);
  }
  requireTensor(operator, 'x', src);
  requireTensor(operator, 'w', weights);
  const windows = slidingWindows(operator, spatial, { ...request, kernel });
  const dstDims = [batch, oc, ...windows.map((axis) => axis.output)];
  requireTensor(operator, 'y', dstDims);
  const [width = UNIT_AXIS, height = UNIT_AXIS, depth = UNIT_AXIS] = windows.toReversed();
  return {
    layout: request.layout ?? 'nchw',
    srcType: request.srcType,
    weightsType: request.weightsType,
    srcDims: src,
    weightsDims: weights,
    dstDims,
    batch,
    ic,
    oc,
    groups,
    axes: [depth, height, width],
    srcZeroPoint: request.srcZeroPoint ?? false,
    weightsZeroPoint: zeroPointKind(operator, request.weightsZeroPointDims, oc),
    weightsConstant: request.weightsConstant ?? false,
    weightsTransposed: false,
  };
}

function zeroPointKind(
  operator: string,
  dims: readonly number[] | undefined,
  oc: number,
): ConvIntegerProblem['weightsZeroPoint'] {
  if (dims === undefined) return 'none';
  if (dims.length === 0 || (dims.length === 1 && dims[0] === 1)) return 'one';
  if (dims.length === 1 && dims[0] === oc) return 'channel';
  throw misfit(operator, 'w_zero_point', dims, `a scalar or [${oc}]`);
}

const UNIT_AXIS: AxisWindow = {
  input: 1,
  output: 1,
  kernel: 1,
  stride: 1,
  dilation: 1,
  padBegin: 0,
  padEnd: 0,
};

/** Taps of the window. */
export function tapCount({ axes }: ConvIntegerProblem): number {
  return axes.reduce((product, axis) => product * axis.kernel, 1);
}
