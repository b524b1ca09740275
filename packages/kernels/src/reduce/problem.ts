/**
 * Reduction of a tensor over some of its axes. Neighbouring reduced axes are one reduction [outer, extent, inner]
 * whose middle is folded; the groups follow one another, the last axes first.
 * https://onnx.ai/onnx/operators/onnx__ReduceSum.html and its siblings
 */
import { GpuKernelShapeError } from '@onegpu/core';
import { elementCount, type Layout } from '../shared/layout.ts';
import { misfit } from '../shared/misfit.ts';
import { requireTensor } from '../shared/tensor-size.ts';

export type ReduceOperation =
  | 'sum'
  | 'mean'
  | 'prod'
  | 'l1'
  | 'l2'
  /** The root of the sum of powers, `power` given. */
  | 'lp'
  | 'sum-square'
  | 'log-sum'
  | 'log-sum-exp'
  | 'max'
  | 'min'
  /** Global max pooling: NaN is skipped unless every element is NaN; nothing at all gives the lowest finite value. */
  | 'pool-max';

/** One run of neighbouring reduced axes, in stored elements (a vec4 in `nhwc4`). */
export interface ReduceGroup {
  readonly outer: number;
  readonly extent: number;
  readonly inner: number;
}

export interface ReduceProblem {
  readonly operation: ReduceOperation;
  /** The p of `lp`. */
  readonly power: number;
  readonly layout: Layout;
  /** Dims of `src`; [batch, channels, ...spatial] when the layout is `nhwc4`. */
  readonly srcDims: readonly number[];
  /** Reduced axes, ascending, each in [0, rank). */
  readonly axes: readonly number[];
  readonly dstDims: readonly number[];
  readonly groups: readonly ReduceGroup[];
  /** Elements folded into one output. */
  readonly count: number;
  /** Stored elements of `dst`. */
  readonly outputs: number;
  /** Bits of the float32 result over no elements, where it is not the operation's usual one. */
  readonly emptyBits: number | undefined;
  readonly lanes: 1 | 4;
}

export interface ReduceRequest {
  readonly operation: ReduceOperation;
  /** The p of `lp`, above 0; default 2. */
  readonly power?: number;
  readonly dims: readonly number[];
  /** Negative axes count from the end; an empty list reduces everything. */
  readonly axes: readonly number[];
  readonly keepDims: boolean;
  /** `nhwc4` takes exactly the spatial axes of a rank 3 or 4 tensor, dims kept. Default `nchw`. */
  readonly layout?: Layout;
  readonly emptyBits?: number;
}

/** @throws GpuKernelShapeError for axes out of range or twice, and for a layout the axes do not fit. */
export function makeReduceProblem(request: ReduceRequest): ReduceProblem {
  const { operation, dims, keepDims, layout = 'nchw', power = 2, emptyBits } = request;
  requireTensor('Reduce', 'src', dims);
  const axes = normaliseAxes(dims.length, request.axes);
  const reduced = new Set(axes);
  const dstDims = dims
    .map((extent, axis) => (reduced.has(axis) ? 1 : extent))
    .filter((_, axis) => keepDims || !reduced.has(axis));
  const count = axes.reduce((product, axis) => product * (dims[axis] ?? 1), 1);
  if (layout === 'nhwc4') {
    requireSpatialAxes(request, axes);
    const [batch = 0, channels = 0] = dims;
    const inner = Math.ceil(channels / 4);
    const groups = [{ outer: batch, extent: count, inner }];
    return {
      operation,
      power,
      emptyBits,
      layout,
      srcDims: dims,
      axes,
      dstDims,
      groups,
      count,
      outputs: batch * inner,
      lanes: 4,
    };
  }
  const outputs = elementCount(dstDims);
  const groups = groupAxes(dims, reduced);
  return {
    operation,
    power,
    emptyBits,
    layout,
    srcDims: dims,
    axes,
    dstDims,
    groups,
    count,
    outputs,
    lanes: 1,
  };
}

/** Ascending axes in [0, rank); all of them for an empty list. */
function normaliseAxes(rank: number, axes: readonly number[]): readonly number[] {
  if (axes.length === 0) return Array.from({ length: rank }, (_, axis) => axis);
  const positive = axes.map((axis) => (axis < 0 ? axis + rank : axis));
  if (positive.some((axis) => !Number.isInteger(axis) || axis < 0 || axis >= rank)) {
    throw misfit('Reduce', 'axes', axes, `integers from ${-rank} to ${rank - 1}`);
  }
  const unique = [...new Set(positive)].sort((a, b) => a - b);
  if (unique.length !== axes.length) {
    throw misfit('Reduce', 'axes', axes, 'each axis once');
  }
  return unique;
}

/** Zero padding lanes must stay zero, which these two do not promise. */
const NOT_CHANNELS_LAST: readonly ReduceOperation[] = ['log-sum', 'log-sum-exp'];

function requireSpatialAxes(request: ReduceRequest, axes: readonly number[]): void {
  const { dims, keepDims, operation } = request;
  const spatial = axes.length === dims.length - 2 && axes[0] === 2 && dims.length >= 3;
  if (spatial && keepDims && !NOT_CHANNELS_LAST.includes(operation)) return;
  throw new GpuKernelShapeError(
    'channels-last reduction folds all spatial axes, keeps dims and has no logarithm',
    {
      subject: 'Reduce',
      field: 'axes',
      got: `${operation} over [${axes.join(', ')}] of [${dims.join(', ')}]`,
      expected: 'axes 2 and up, keepdims',
      remedy: 'Use the layout nchw.',
    },
  );
}

/** Groups of neighbouring reduced axes (extents of 1 between them do not separate), the last group first. */
function groupAxes(dims: readonly number[], reduced: ReadonlySet<number>): readonly ReduceGroup[] {
  const groups: ReduceGroup[] = [];
  const extents = [...dims];
  const product = (from: number, to: number): number =>
    extents.slice(from, to).reduce((value, extent) => value * extent, 1);
  let end = dims.length;
  while (end > 0) {
    if (!reduced.has(end - 1)) {
      end -= 1;
      continue;
    }
    let begin = end - 1;
    while (begin > 0 && (reduced.has(begin - 1) || extents[begin - 1] === 1)) begin -= 1;
    groups.push({ outer: product(0, begin), extent: product(begin, end), inner: product(end, dims.length) });
    extents.fill(1, begin, end);
    end = begin;
  }
  if (groups.length === 0) groups.push({ outer: product(0, dims.length), extent: 1, inner: 1 });
  return groups;
}
