/**
 * Transposed convolution over three spatial axes, dense tensors [batch, channels, depth, height, width].
 *
 *   dst[b, c, z, y, x] = sum src[b, k, iz, iy, ix] * weights[k, c in its group, q, r, s]
 *   over all taps with z + padFront = iz * strideD + q * dilationD, and likewise along y and x.
 *
 * https://onnx.ai/onnx/operators/onnx__ConvTranspose.html
 */
import { axisPhases } from '../conv-transpose/phases.ts';
import type { Activation } from '../shared/activation.ts';
import { type TransposedRequest, transposedWindows } from '../shared/conv-geometry.ts';
import type { Epilogue } from '../shared/epilogue.ts';
import { misfit } from '../shared/misfit.ts';
import { requireTensor } from '../shared/tensor-size.ts';
import { type VolumeWindow, volumeWindow } from '../shared/volume.ts';

export interface VolumeConvTransposeProblem extends VolumeWindow {
  readonly batch: number;
  readonly groups: number;
  readonly ic: number;
  readonly oc: number;
  readonly epilogue: Epilogue;
  /** [batch, oc, depth, height, width] */
  readonly dstDims: readonly number[];
}

export interface VolumeConvTransposeOptions extends Omit<TransposedRequest, 'kernel'> {
  /** [batch, ic, depth, height, width] */
  readonly srcDims: readonly number[];
  /** [ic, oc / groups, kd, kh, kw] */
  readonly weightsDims: readonly number[];
  /** [oc]; absent: no bias. */
  readonly biasDims?: readonly number[] | undefined;
  readonly groups?: number;
  readonly residual?: boolean;
  readonly activation?: readonly Activation[];
}

const OPERATOR = 'conv-transpose';

/** @throws GpuKernelShapeError for wrong ranks, channels, groups, bias or window attributes. */
export function makeVolumeConvTransposeProblem(
  options: VolumeConvTransposeOptions,
): VolumeConvTransposeProblem {
  const { srcDims, weightsDims, biasDims: bias, groups = 1 } = options;
  const [batch = 0, ic = 0, ...spatial] = srcDims;
  const [weightsIc = 0, ocPerGroup = 0, ...kernel] = weightsDims;
  expectFact('src', `rank ${srcDims.length}`, srcDims.length === 5, 'rank 5');
  expectFact('weights', `rank ${weightsDims.length}`, weightsDims.length === 5, 'rank 5');
  expectFact('weights', `${weightsIc}`, weightsIc === ic, `${ic}, the input channels`);
  const divides = Number.isSafeInteger(groups) && groups >= 1 && ic % groups === 0;
  expectFact('groups', `${groups}`, divides, `a divisor of the ${ic} input channels`);
  const oc = ocPerGroup * groups;
  const biasFits = bias === undefined || (bias.length === 1 && bias[0] === oc);
  expectFact('bias', `[${bias?.join(', ')}]`, biasFits, `[${oc}]`);
  requireTensor(OPERATOR, 'src', srcDims);
  requireTensor(OPERATOR, 'weights', weightsDims);
  const axes = transposedWindows(OPERATOR, spatial, { ...options, kernel });
  const dstDims = [batch, oc, ...axes.map((axis) => axis.output)];
  requireTensor(OPERATOR, 'dst', dstDims);
  return {
    ...{ batch, groups, ic, oc, ...volumeWindow(OPERATOR, axes) },
    epilogue: {
      bias: bias !== undefined,
      residual: options.residual ?? false,
      activation: options.activation ?? [],
    },
    dstDims,
  };
}

/** Terms that can reach one output element. */
export function volumeTransposeTerms(problem: VolumeConvTransposeProblem): number {
  const { ic, groups, depth, height, width } = problem;
  const taps = axisPhases(depth).taps * axisPhases(height).taps * axisPhases(width).taps;
  return (ic / groups) * taps;
}

function expectFact(field: string, got: string, holds: boolean, expected: string): void {
  if (holds) return;
  throw misfit(OPERATOR, field, got, expected);
}
