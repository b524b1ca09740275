/** Slices with ONNX's rules: ends are exclusive, both ends count from the end when negative and are clamped. */
import { misfit, resolveAxis } from '../shared/misfit.ts';
import { denseStrides, type MoveProblem, makeView } from './view.ts';

export interface SliceRequest {
  readonly srcDims: readonly number[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Absent: the first axes, in order. */
  readonly axes?: readonly number[] | undefined;
  /** Absent: 1. Negative steps run backwards, zero is refused. */
  readonly steps?: readonly number[] | undefined;
}

/** @throws GpuKernelShapeError for lists of different lengths, an axis out of range or twice, or a step of zero. */
export function makeSliceProblem({ srcDims, starts, ends, ...rest }: SliceRequest): MoveProblem {
  const axes = rest.axes ?? starts.map((_, axis) => axis);
  const steps = rest.steps ?? starts.map(() => 1);
  for (const [field, list] of Object.entries({ ends, axes, steps })) {
    if (list.length !== starts.length) {
      throw misfit('slice', field, `${list.length} entries`, `${starts.length}, as starts has`);
    }
  }
  const strides = [...denseStrides(srcDims)];
  const dims = [...srcDims];
  const seen = new Set<number>();
  let offset = 0;
  axes.forEach((given, position) => {
    const axis = resolveAxis('slice', given, srcDims.length);
    if (seen.has(axis)) throw misfit('slice', 'axes', axes, 'each axis once');
    seen.add(axis);
    const step = steps[position] ?? 1;
    if (!Number.isInteger(step) || step === 0) throw misfit('slice', 'steps', step, 'not zero');
    const range = clampRange(srcDims[axis] ?? 1, starts[position] ?? 0, ends[position] ?? 0, step);
    dims[axis] = range.count;
    offset += range.start * (strides[axis] ?? 1);
    strides[axis] = (strides[axis] ?? 1) * step;
  });
  return makeView({
    operator: 'slice',
    srcDims,
    dims,
    offset: dims.includes(0) ? 0 : offset,
    axes: dims.map((extent, axis) => ({ extent, stride: strides[axis] ?? 1 })),
  });
}

/** First coordinate and number of coordinates of one axis. */
function clampRange(
  extent: number,
  start: number,
  end: number,
  step: number,
): { readonly start: number; readonly count: number } {
  const [low, high] = step > 0 ? [0, extent] : [-1, extent - 1];
  const clamp = (value: number, lowest: number): number =>
    Math.min(Math.max(value < 0 ? value + extent : value, lowest), high);
  const first = clamp(start, Math.max(low, 0));
  const last = clamp(end, low);
  return { start: first, count: Math.max(0, Math.ceil((last - first) / step)) };
}
