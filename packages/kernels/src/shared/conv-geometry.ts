/**
 * The one normaliser of sliding windows: turns ONNX's auto_pad, pads, strides, dilations, ceil_mode,
 * output_padding and output_shape into explicit pads and extents, one record a spatial axis. Convolution, its
 * transpose, pooling and shape inference read the same record, so nobody derives geometry twice.
 *
 * Sliding window:     output = floor((input + padBegin + padEnd - extent) / stride) + 1
 * Transposed window:  output = (input - 1) * stride + extent - padBegin - padEnd
 * with extent = (kernel - 1) * dilation + 1; output_padding is already subtracted from padEnd.
 * https://onnx.ai/onnx/operators/onnx__Conv.html, https://onnx.ai/onnx/operators/onnx__ConvTranspose.html
 */
import { GpuKernelShapeError } from '@onegpu/core';
import { misfit } from './misfit.ts';

/** Window of one spatial axis; every field is explicit. */
export interface AxisWindow {
  /** Extent of `src` along the axis. */
  readonly input: number;
  /** Extent of `dst` along the axis. */
  readonly output: number;
  /** Taps. */
  readonly kernel: number;
  readonly stride: number;
  /** Distance between taps, 1 for a dense kernel. */
  readonly dilation: number;
  /**
   * Elements of padding before and after the input; of a transposed window: elements cut off the full output. A
   * transposed window's `padEnd` may be negative, where output_padding or output_shape adds elements behind it.
   */
  readonly padBegin: number;
  readonly padEnd: number;
}

/** What the attributes say; absent lists take ONNX's defaults (strides and dilations 1, pads 0). */
export interface WindowRequest {
  /** Taps of each spatial axis. */
  readonly kernel: readonly number[];
  /** `NOTSET` (default), `VALID`, `SAME_UPPER` or `SAME_LOWER`. */
  readonly autoPad?: string | undefined;
  /** All begins, then all ends. */
  readonly pads?: readonly number[] | undefined;
  readonly strides?: readonly number[] | undefined;
  readonly dilations?: readonly number[] | undefined;
}

export interface SlidingRequest extends WindowRequest {
  /** Pooling only: round the output extent up; a window must still start inside the input or its begin padding. */
  readonly ceilMode?: boolean | undefined;
}

export interface TransposedRequest extends WindowRequest {
  readonly outputPadding?: readonly number[] | undefined;
  /** Spatial output extents; pads are then derived from them. */
  readonly outputShape?: readonly number[] | undefined;
}

/** Taps that an axis spans, gaps of the dilation included. */
export function windowExtent(axis: Pick<AxisWindow, 'kernel' | 'dilation'>): number {
  return (axis.kernel - 1) * axis.dilation + 1;
}

/**
 * Windows of a convolution or pooling over `spatial` input extents.
 * @throws GpuKernelShapeError with the operator's name, for wrong lengths, values out of range, or a window larger
 *   than the padded input (with `ceilMode`: larger by a stride or more).
 */
export function slidingWindows(
  operator: string,
  spatial: readonly number[],
  request: SlidingRequest,
): readonly AxisWindow[] {
  const read = readRequest(operator, spatial, request);
  return spatial.map((input, i) => {
    const { kernel, stride, dilation, padBegin, padEnd } = read.axis(i);
    const extent = windowExtent({ kernel, dilation });
    const base = { input, kernel, stride, dilation };
    requirePositions(operator, i, input + padBegin + padEnd + 2 * extent + stride);
    if (read.autoPad === 'SAME_UPPER' || read.autoPad === 'SAME_LOWER') {
      const output = Math.ceil(input / stride);
      const total = Math.max((output - 1) * stride + extent - input, 0);
      return { ...base, output, ...distribute(total, read.autoPad === 'SAME_UPPER') };
    }
    const room = input + padBegin + padEnd - extent;
    const ceil = request.ceilMode === true && read.autoPad === 'NOTSET';
    const output = Math.max((ceil ? Math.ceil(room / stride) : Math.floor(room / stride)) + 1, 0);
    if (output === 0 && input > 0) {
      throw new GpuKernelShapeError('the window is larger than the padded input', {
        subject: operator,
        field: `spatial axis ${i}`,
        got: `window of ${extent}`,
        expected: `at most ${input} + ${padBegin} + ${padEnd}`,
      });
    }
    const startsOutside = ceil && (output - 1) * stride >= input + padBegin;
    return { ...base, output: startsOutside ? output - 1 : output, padBegin, padEnd };
  });
}

/**
 * Windows of a transposed convolution over `spatial` input extents. Where the output is larger than the taps
 * reach (output_shape, SAME with stride > extent) the elements behind them hold the bias alone.
 * @throws GpuKernelShapeError as `slidingWindows` does.
 */
export function transposedWindows(
  operator: string,
  spatial: readonly number[],
  request: TransposedRequest,
): readonly AxisWindow[] {
  const rank = spatial.length;
  const read = readRequest(operator, spatial, request);
  const outputPadding = checkList(operator, 'output_padding', request.outputPadding, rank, 0, 0);
  const outputShape =
    request.outputShape === undefined
      ? undefined
      : checkList(operator, 'output_shape', request.outputShape, rank, 0, 0);
  return spatial.map((input, i) => {
    const { kernel, stride, dilation, padBegin, padEnd } = read.axis(i);
    const extra = outputPadding[i] ?? 0;
    const full = input === 0 ? 0 : (input - 1) * stride + windowExtent({ kernel, dilation }) + extra;
    const base = { input, kernel, stride, dilation };
    requirePositions(operator, i, full + padBegin + padEnd + stride + (outputShape?.[i] ?? 0));
    const same = read.autoPad === 'SAME_UPPER' || read.autoPad === 'SAME_LOWER';
    const wanted = outputShape?.[i] ?? (same ? input * stride : undefined);
    if (wanted === undefined) {
      const output = full - padBegin - padEnd;
      if (output < 0 && input > 0) {
        throw new GpuKernelShapeError('pads cut off more than the whole output', {
          subject: operator,
          field: 'pads',
          got: `${padBegin} + ${padEnd}`,
          expected: `at most ${full} on spatial axis ${i}`,
        });
      }
      return { ...base, output: Math.max(output, 0), padBegin, padEnd: padEnd - extra };
    }
    const cut = distribute(Math.max(full - wanted, 0), read.autoPad === 'SAME_UPPER');
    return { ...base, output: wanted, padBegin: cut.padBegin, padEnd: full - extra - wanted - cut.padBegin };
  });
}

/** One axis as height and width: the height is 1 with one tap. Two axes stay as they are. */
export function liftTo2d(operator: string, axes: readonly AxisWindow[]): readonly [AxisWindow, AxisWindow] {
  const [first, second] = axes;
  if (first !== undefined && second === undefined) return [UNIT_AXIS, first];
  if (first !== undefined && second !== undefined && axes.length === 2) return [first, second];
  throw misfit(operator, 'rank', `${axes.length} spatial axes`, '1 or 2, more are not built');
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

/** Kernels step through windows in i32. */
function requirePositions(subject: string, axis: number, reach: number): void {
  if (reach < 2 ** 31) return;
  throw misfit(subject, `spatial axis ${axis}`, `positions up to ${reach}`, 'positions below 2^31');
}

function distribute(total: number, smallerFirst: boolean): Pick<AxisWindow, 'padBegin' | 'padEnd'> {
  const smaller = Math.floor(total / 2);
  const larger = total - smaller;
  return smallerFirst ? { padBegin: smaller, padEnd: larger } : { padBegin: larger, padEnd: smaller };
}

const AUTO_PADS: readonly string[] = ['NOTSET', 'VALID', 'SAME_UPPER', 'SAME_LOWER'];

interface ReadRequest {
  readonly autoPad: string;
  axis(index: number): Omit<AxisWindow, 'input' | 'output'>;
}

function readRequest(operator: string, spatial: readonly number[], request: WindowRequest): ReadRequest {
  const rank = spatial.length;
  checkList(operator, 'spatial', spatial, rank, 0, 0);
  const autoPad = request.autoPad === undefined || request.autoPad === '' ? 'NOTSET' : request.autoPad;
  if (!AUTO_PADS.includes(autoPad)) {
    throw misfit(operator, 'auto_pad', autoPad, AUTO_PADS.join(', '));
  }
  const pads = checkList(operator, 'pads', request.pads, 2 * rank, 0, 0);
  if (autoPad !== 'NOTSET' && pads.some((pad) => pad !== 0)) {
    throw new GpuKernelShapeError('pads and auto_pad may not be given together', {
      subject: operator,
      field: 'pads',
      got: `[${pads.join(', ')}] with auto_pad ${autoPad}`,
      expected: 'one of the two',
    });
  }
  const kernel = checkList(operator, 'kernel_shape', request.kernel, rank, 1, 1);
  const strides = checkList(operator, 'strides', request.strides, rank, 1, 1);
  const dilations = checkList(operator, 'dilations', request.dilations, rank, 1, 1);
  return {
    autoPad,
    axis: (i) => ({
      kernel: kernel[i] ?? 1,
      stride: strides[i] ?? 1,
      dilation: dilations[i] ?? 1,
      padBegin: pads[i] ?? 0,
      padEnd: pads[rank + i] ?? 0,
    }),
  };
}

function checkList(
  operator: string,
  field: string,
  list: readonly number[] | undefined,
  length: number,
  lowest: number,
  fallback: number,
): readonly number[] {
  if (list === undefined) return new Array<number>(length).fill(fallback);
  if (list.length === length && list.every((value) => Number.isSafeInteger(value) && value >= lowest)) {
    return list;
  }
  throw misfit(operator, field, list, `${length} integers of at least ${lowest}`);
}
