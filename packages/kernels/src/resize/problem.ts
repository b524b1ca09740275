/**
 * Resize: what is asked for (scales or sizes, axes, aspect ratio) turned into one record an axis, and the tensor
 * seen as [outer, a, mid, b, inner] where `a` and `b` are the two resized axes.
 * https://onnx.ai/onnx/operators/onnx__Resize.html
 */
import { GpuKernelShapeError } from '@onegpu/core';
import { type Epilogue, PLAIN_EPILOGUE } from '../shared/epilogue.ts';
import type { Layout } from '../shared/layout.ts';
import { isUntouched, type ResizeAxis, type Sampling } from './plan.ts';

export type AspectRatioPolicy = 'stretch' | 'not_larger' | 'not_smaller';

export interface ResizeProblem {
  readonly layout: Layout;
  readonly srcDims: readonly number[];
  readonly dstDims: readonly number[];
  readonly sampling: Sampling;
  /** Axes that are resampled; the others pass through. */
  readonly touched: readonly number[];
  readonly axisA: ResizeAxis;
  readonly axisB: ResizeAxis;
  /** Stored elements around the two axes: [outer, a, mid, b, inner]. */
  readonly outer: number;
  readonly mid: number;
  readonly inner: number;
  readonly lanes: 1 | 4;
  /** Residual and activation; no bias. */
  readonly epilogue: Epilogue;
}

export interface ResizeRequest {
  readonly dims: readonly number[];
  /** Axes that `scales` or `sizes` speak of; all of them when absent. */
  readonly axes?: readonly number[] | undefined;
  readonly scales?: readonly number[] | undefined;
  readonly sizes?: readonly number[] | undefined;
  /** How `sizes` are kept in proportion. Default `stretch`. */
  readonly aspectRatio?: AspectRatioPolicy | undefined;
  readonly sampling?: Partial<Sampling> | undefined;
  readonly layout?: Layout | undefined;
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
};

const PASSED: ResizeAxis = { input: 1, output: 1, scaleNumerator: 1, scaleDenominator: 1 };

/** @throws GpuKernelShapeError for wrong lists, more than two resized axes, or resized channels in `nhwc4`. */
export function makeResizeProblem(request: ResizeRequest): ResizeProblem {
  const { dims, layout = 'nchw', epilogue = PLAIN_EPILOGUE } = request;
  const axes = resizeAxes(request);
  const dstDims = axes.map((axis) => axis.output);
  const sampling = { ...DEFAULT_SAMPLING, ...request.sampling };
  const touched = axes.flatMap((axis, at) => (isUntouched(axis) ? [] : [at]));
  const base = { layout, srcDims: dims, dstDims, sampling, touched, epilogue };
  if (layout === 'nhwc4') {
    requireSpatial(dims, touched);
    const [axisA = PASSED, axisB = PASSED] = dims.length === 3 ? [PASSED, axes[2]] : axes.slice(2);
    const inner = Math.ceil((dims[1] ?? 0) / 4);
    return { ...base, axisA, axisB, outer: dims[0] ?? 0, mid: 1, inner, lanes: 4 };
  }
  const product = (from: number, to: number): number =>
    dims.slice(from, to).reduce((value, extent) => value * extent, 1);
  const [first, second] = touched.length === 1 ? [undefined, touched[0]] : touched;
  if (touched.length > 2) {
    throw new GpuKernelShapeError('more than two resized axes are not built', {
      subject: 'Resize',
      field: 'axes',
      got: `[${dims.join(', ')}] to [${dstDims.join(', ')}]`,
      expected: 'at most two axes whose extent changes',
    });
  }
  const end = second ?? dims.length - 1;
  return {
    ...base,
    axisA: (first === undefined ? undefined : axes[first]) ?? PASSED,
    axisB: (second === undefined ? undefined : axes[second]) ?? PASSED,
    outer: second === undefined ? product(0, dims.length) : product(0, first ?? second),
    mid: first === undefined || second === undefined ? 1 : product(first + 1, second),
    inner: second === undefined ? 1 : product(end + 1, dims.length),
    lanes: 1,
  };
}

function requireSpatial(dims: readonly number[], touched: readonly number[]): void {
  if ((dims.length === 3 || dims.length === 4) && touched.every((axis) => axis >= 2)) return;
  throw new GpuKernelShapeError('channels-last resizing takes one or two spatial axes', {
    subject: 'Resize',
    field: 'axes',
    got: `axes [${touched.join(', ')}] of [${dims.join(', ')}]`,
    expected: 'axes 2 and 3',
    remedy: 'Use the layout nchw.',
  });
}

/** One record an axis of the tensor. */
function resizeAxes(request: ResizeRequest): readonly ResizeAxis[] {
  const { dims, scales, sizes } = request;
  const named = namedAxes(dims.length, request.axes);
  const given = scales ?? sizes;
  if (given === undefined || (scales !== undefined && sizes !== undefined)) {
    throw new GpuKernelShapeError('exactly one of scales and sizes must be given', {
      subject: 'Resize',
      field: 'scales',
      got: given === undefined ? 'neither' : 'both',
    });
  }
  const positive = (value: number): boolean => (scales === undefined ? Number.isInteger(value) : value > 0);
  if (given.length !== named.length || !given.every((value) => value >= 0 && positive(value))) {
    throw new GpuKernelShapeError('the list has the wrong length or a value out of range', {
      subject: 'Resize',
      field: scales === undefined ? 'sizes' : 'scales',
      got: `[${given.join(', ')}]`,
      expected: `${named.length} ${scales === undefined ? 'whole numbers' : 'positive numbers'}`,
    });
  }
  const ratio = proportionalRatio(request, named);
  return dims.map((input, axis) => {
    const at = named.indexOf(axis);
    if (at < 0) return { input, output: input, scaleNumerator: 1, scaleDenominator: 1 };
    const value = given[at] ?? 1;
    if (scales !== undefined) return axisFromScale(input, value);
    return checkExtents(ratio === undefined ? axisFromSize(input, value) : axisFromRatio(input, ratio));
  });
}

function namedAxes(rank: number, axes: readonly number[] | undefined): readonly number[] {
  const named =
    axes?.map((axis) => (axis < 0 ? axis + rank : axis)) ?? Array.from({ length: rank }, (_, i) => i);
  const valid = named.every((axis) => Number.isInteger(axis) && axis >= 0 && axis < rank);
  if (valid && new Set(named).size === named.length) return named;
  throw new GpuKernelShapeError('an axis is out of range or named twice', {
    subject: 'Resize',
    field: 'axes',
    got: `[${(axes ?? []).join(', ')}]`,
    expected: `different integers from ${-rank} to ${rank - 1}`,
  });
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
  throw new GpuKernelShapeError('an empty axis cannot grow', {
    subject: 'Resize',
    field: 'sizes',
    got: String(axis.output),
    expected: '0',
  });
}
