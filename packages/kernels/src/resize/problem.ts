/**
 * Resize: what is asked for (scales or sizes, axes, region, aspect ratio) turned into one record an axis.
 * https://onnx.ai/onnx/operators/onnx__Resize.html
 */
import { GpuKernelShapeError } from '@onegpu/core';
import { type Epilogue, epilogueLabel, PLAIN_EPILOGUE } from '../shared/epilogue.ts';
import type { Layout } from '../shared/layout.ts';
import { misfit } from '../shared/misfit.ts';
import { requireTensor } from '../shared/tensor-size.ts';
import type { ResizeElement } from './element.ts';
import { type CropRange, isUntouched, type ResizeAxis, type Sampling } from './plan.ts';

export type AspectRatioPolicy = 'stretch' | 'not_larger' | 'not_smaller';

export interface ResizeProblem {
  readonly layout: Layout;
  readonly srcDims: readonly number[];
  readonly dstDims: readonly number[];
  readonly sampling: Sampling;
  /** Axes that are resampled; the others pass through. */
  readonly touched: readonly number[];
  /** One record an axis of the tensor. */
  readonly axes: readonly ResizeAxis[];
  readonly element: ResizeElement;
  /** Residual and activation; no bias. */
  readonly epilogue: Epilogue;
}

export interface ResizeRequest {
  readonly dims: readonly number[];
  /** Axes that `scales` or `sizes` speak of; all of them when absent. */
  readonly axes?: readonly number[] | undefined;
  readonly scales?: readonly number[] | undefined;
  readonly sizes?: readonly number[] | undefined;
  /**
   * For `tf_crop_and_resize`: starts of all named axes, then their ends, as fractions of the axis; a value outside
   * 0..1 reaches outside the source, an end before its start flips the axis. Rounded to float32, as ONNX has them.
   */
  readonly roi?: readonly number[] | undefined;
  /** How `sizes` are kept in proportion. Default `stretch`. */
  readonly aspectRatio?: AspectRatioPolicy | undefined;
  readonly sampling?: Partial<Sampling> | undefined;
  readonly layout?: Layout | undefined;
  /** Default `float32`. */
  readonly element?: ResizeElement | undefined;
  readonly epilogue?: Epilogue | undefined;
}

/** ONNX's defaults. */
export const DEFAULT_SAMPLING: Sampling = {
  mode: 'nearest',
  coordinates: 'half_pixel',
  nearest: 'round_prefer_floor',
  cubicCoefficient: -0.75,
  excludeOutside: false,
  antialias: false,
  extrapolation: 0,
};

/**
 * Any number of axes in `nchw`, any number of spatial ones in `nhwc4`.
 * @throws GpuKernelShapeError for wrong lists, resized channels in `nhwc4`, and epilogues of integers.
 */
export function makeResizeProblem(request: ResizeRequest): ResizeProblem {
  const { dims, layout = 'nchw', element = 'float32', epilogue = PLAIN_EPILOGUE } = request;
  const sampling = { ...DEFAULT_SAMPLING, ...request.sampling };
  requireTensor('Resize', 'src', dims);
  const axes = resizeAxes(request, sampling);
  const touched = axes.flatMap((axis, at) => (isUntouched(axis) ? [] : [at]));
  if (layout === 'nhwc4') requireSpatial(dims, touched);
  if (element !== 'float32' && epilogueLabel(epilogue) !== '') {
    throw misfit('Resize', 'epilogue', `${epilogueLabel(epilogue)} of ${element}`, 'none, or float32');
  }
  checkSampling(sampling);
  const dstDims = axes.map((axis) => axis.output);
  requireTensor('Resize', 'dst', dstDims);
  return { layout, srcDims: dims, dstDims, sampling, touched, axes, element, epilogue };
}

function checkSampling({ mode, antialias, cubicCoefficient }: Sampling): void {
  if (mode === 'nearest' && antialias) {
    throw misfit('Resize', 'antialias', 'set, with nearest', 'linear or cubic');
  }
  if (Number.isFinite(cubicCoefficient)) return;
  throw misfit('Resize', 'cubic_coeff_a', cubicCoefficient, 'a finite number');
}

function requireSpatial(dims: readonly number[], touched: readonly number[]): void {
  if (dims.length >= 3 && touched.every((axis) => axis >= 2)) return;
  throw new GpuKernelShapeError('channels-last resizing takes spatial axes', {
    subject: 'Resize',
    field: 'axes',
    got: `axes [${touched.join(', ')}] of [${dims.join(', ')}]`,
    expected: 'axes from 2 on',
    remedy: 'Use the layout nchw.',
  });
}

/** One record an axis of the tensor. */
function resizeAxes(request: ResizeRequest, sampling: Sampling): readonly ResizeAxis[] {
  const { dims, scales, sizes } = request;
  const named = namedAxes(dims.length, request.axes);
  const given = scales ?? sizes;
  if (given === undefined || (scales !== undefined && sizes !== undefined)) {
    const both = given === undefined ? 'neither scales nor sizes' : 'scales and sizes';
    throw misfit('Resize', 'scales', both, 'exactly one of the two');
  }
  const positive = (value: number): boolean =>
    scales === undefined ? Number.isSafeInteger(value) : value > 0 && Number.isFinite(value);
  if (given.length !== named.length || !given.every((value) => value >= 0 && positive(value))) {
    const [field, numbers] =
      scales === undefined ? ['sizes', 'whole numbers'] : ['scales', 'positive numbers'];
    throw misfit('Resize', field, given, `${named.length} ${numbers}`);
  }
  const ratio = proportionalRatio(request, named);
  const crops = cropRanges(request, sampling, named.length);
  return dims.map((input, axis) => {
    const at = named.indexOf(axis);
    if (at < 0) return { input, output: input, scaleNumerator: 1, scaleDenominator: 1 };
    const value = given[at] ?? 1;
    const crop = crops[at];
    return { ...extentOf(request, input, value, ratio), ...(crop === undefined ? {} : { crop }) };
  });
}

function extentOf(
  request: ResizeRequest,
  input: number,
  value: number,
  ratio: Ratio | undefined,
): ResizeAxis {
  if (request.scales !== undefined) return checkExtents(axisFromScale(input, value));
  return checkExtents(ratio === undefined ? axisFromSize(input, value) : axisFromRatio(input, ratio));
}

/** One range a named axis under `tf_crop_and_resize`; none otherwise, where `roi` means nothing. */
function cropRanges({ roi = [] }: ResizeRequest, sampling: Sampling, named: number): readonly CropRange[] {
  if (sampling.coordinates !== 'tf_crop_and_resize') return [];
  if (roi.length !== 2 * named || !roi.every(Number.isFinite)) {
    throw misfit('Resize', 'roi', roi, `${2 * named} finite numbers: ${named} starts, then ${named} ends`);
  }
  return Array.from({ length: named }, (_, at) => ({
    start: Math.fround(roi[at] ?? 0),
    end: Math.fround(roi[named + at] ?? 1),
  }));
}

function namedAxes(rank: number, axes: readonly number[] | undefined): readonly number[] {
  const named =
    axes?.map((axis) => (axis < 0 ? axis + rank : axis)) ?? Array.from({ length: rank }, (_, i) => i);
  const valid = named.every((axis) => Number.isInteger(axis) && axis >= 0 && axis < rank);
  if (valid && new Set(named).size === named.length) return named;
  throw misfit('Resize', 'axes', axes ?? [], `different integers from ${-rank} to ${rank - 1}`);
}

interface Ratio {
  readonly numerator: number;
  readonly denominator: number;
}

/** The one ratio of all named axes under `not_larger` and `not_smaller`; undefined when axes stretch on their own. */
function proportionalRatio(request: ResizeRequest, named: readonly number[]): Ratio | undefined {
  const { aspectRatio = 'stretch', sizes, dims } = request;
  if (aspectRatio === 'stretch' || sizes === undefined) return undefined;
  const ratios = named.map((axis, at) => ({ numerator: sizes[at] ?? 1, denominator: dims[axis] ?? 1 }));
  const below = (a: Ratio, b: Ratio): boolean => a.numerator * b.denominator < b.numerator * a.denominator;
  return ratios.reduce((best, ratio) =>
    (aspectRatio === 'not_larger' ? below(ratio, best) : below(best, ratio)) ? ratio : best,
  );
}

/**
 * The output extent is the floor of the float32 product, as ONNX's shape inference computes it. A scale that is
 * the float32 nearest to output / input means that ratio.
 */
function axisFromScale(input: number, scale: number): ResizeAxis {
  const rounded = Math.fround(scale);
  const output = Math.floor(Math.fround(input * rounded));
  const whole = input > 0 && output > 0 && Math.fround(output / input) === rounded;
  return whole
    ? axisFromSize(input, output)
    : { input, output, scaleNumerator: rounded, scaleDenominator: 1 };
}

function axisFromSize(input: number, output: number): ResizeAxis {
  if (input === output) return { input, output, scaleNumerator: 1, scaleDenominator: 1 };
  return { input, output, scaleNumerator: output, scaleDenominator: input };
}

/** Halves round up. */
function axisFromRatio(input: number, { numerator, denominator }: Ratio): ResizeAxis {
  const output = Math.floor((2 * numerator * input + denominator) / (2 * denominator));
  return { input, output, scaleNumerator: numerator, scaleDenominator: denominator };
}

function checkExtents(axis: ResizeAxis): ResizeAxis {
  if (axis.input > 0 || axis.output === 0) return axis;
  throw misfit('Resize', 'sizes', axis.output, '0, since the axis is empty');
}
