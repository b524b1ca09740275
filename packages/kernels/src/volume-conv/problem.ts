/**
 * Convolution over three spatial axes, dense tensors [batch, channels, depth, height, width].
 *
 *   dst[n, o, z, y, x] = sum over c, q, r, s of src[n, g * icg + c, z * strideD - padFront + q * dilationD, ...]
 *                        * weights[o, c, q, r, s], with g = o / (oc / groups)
 *
 * https://onnx.ai/onnx/operators/onnx__Conv.html
 */
import type { ConvProblem } from '../conv/problem.ts';
import { slidingWindows, type WindowRequest } from '../shared/conv-geometry.ts';
import type { Epilogue } from '../shared/epilogue.ts';
import { misfit } from '../shared/misfit.ts';
import { requireTensor } from '../shared/tensor-size.ts';
import { type VolumeWindow, volumeExtent, volumeTaps, volumeWindow } from '../shared/volume.ts';

export interface VolumeConvProblem extends VolumeWindow {
  readonly batch: number;
  readonly ic: number;
  readonly oc: number;
  readonly groups: number;
  readonly epilogue: Epilogue;
  /** Whether weights and bias are known when the plan is made, so that they can be packed on the host. */
  readonly weightsConstant: boolean;
}

export interface VolumeConvRequest extends Omit<WindowRequest, 'kernel'> {
  /** [batch, ic, depth, height, width] */
  readonly src: readonly number[];
  /** [oc, ic / groups, kd, kh, kw] */
  readonly weights: readonly number[];
  readonly groups?: number | undefined;
  readonly epilogue: Epilogue;
  readonly weightsConstant: boolean;
}

/** @throws GpuKernelShapeError with the operator's name for ranks, channels or attributes that do not fit. */
export function makeVolumeConvProblem(request: VolumeConvRequest, operator = 'Conv'): VolumeConvProblem {
  const { src, weights, groups = 1, epilogue, weightsConstant } = request;
  const [batch = 0, ic = 0, ...spatial] = src;
  const [oc = 0, icg = 0, ...kernel] = weights;
  const expectFact = (field: string, got: string | number, holds: boolean, expected: string): void => {
    if (!holds) throw misfit(operator, field, got, expected);
  };
  expectFact('rank', src.length, src.length === 5, '5');
  expectFact('weights rank', weights.length, weights.length === 5, '5');
  expectFact('group', groups, Number.isSafeInteger(groups) && groups >= 1, 'an integer of at least 1');
  expectFact('weights', `${icg} input channels a group`, icg * groups === ic, `${ic} / ${groups}`);
  expectFact('weights', `${oc} output channels`, oc % groups === 0, `a multiple of group = ${groups}`);
  requireTensor(operator, 'src', src);
  requireTensor(operator, 'weights', weights);
  const axes = slidingWindows(operator, spatial, { ...request, kernel });
  requireTensor(operator, 'dst', [batch, oc, ...axes.map((axis) => axis.output)]);
  return { batch, ic, oc, groups, epilogue, weightsConstant, ...volumeWindow(operator, axes) };
}

/** [batch, oc, depth, height, width] */
export function volumeConvDstDims({ batch, oc, depth, height, width }: VolumeConvProblem): readonly number[] {
  return [batch, oc, depth.output, height.output, width.output];
}

/**
 * The matrix product behind a volume, as a convolution over planes: output voxels are pixels of a taller picture, taps
 * those of a taller window. Only its source positions mean nothing, so it serves kernels that read a matrix of taps,
 * packings, stores, costs and labels.
 */
export function volumeProduct(problem: VolumeConvProblem): ConvProblem {
  const { batch, ic, oc, groups, depth, height, width, epilogue, weightsConstant } = problem;
  return {
    ...{
      batch,
      ic,
      oc,
      groups,
      epilogue,
      weightsConstant,
      weightsType: 'float32',
      layout: 'nchw',
      gate: false,
      shortcut: undefined,
      planes: false,
    },
    ...{ ih: depth.input * height.input, iw: width.input },
    ...{ oh: depth.output * height.output, ow: width.output },
    ...{ kh: depth.kernel * height.kernel, kw: width.kernel },
    ...{ strideH: 1, strideW: 1, dilationH: 1, dilationW: 1 },
    ...{ padTop: 0, padLeft: 0, padBottom: 0, padRight: 0 },
  };
}

/** Terms summed into one output. */
export function volumeConvTerms(problem: VolumeConvProblem): number {
  return (problem.ic / problem.groups) * volumeTaps(problem);
}

export function volumeConvDstElements(problem: VolumeConvProblem): number {
  return problem.batch * problem.oc * volumeExtent(problem, 'output');
}
