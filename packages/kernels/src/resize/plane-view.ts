/**
 * A problem seen as [outer, a, mid, b, inner], where `a` and `b` are the two resized axes: what the kernels for pictures
 * work on. Problems that resize more axes, or reach outside the source, have no such view.
 */
import { elementCount } from '../shared/layout.ts';
import type { ResizeAxis } from './plan.ts';
import type { ResizeProblem } from './problem.ts';

export interface PlaneView {
  readonly axisA: ResizeAxis;
  readonly axisB: ResizeAxis;
  /** Stored elements around the two axes; vec4 in `nhwc4`. */
  readonly outer: number;
  readonly mid: number;
  readonly inner: number;
  readonly lanes: 1 | 4;
}

const PASSED: ResizeAxis = { input: 1, output: 1, scaleNumerator: 1, scaleDenominator: 1 };

/** The view, or the reason why there is none. */
export function planeView(problem: ResizeProblem): PlaneView | string {
  const { layout, srcDims: dims, axes, touched, sampling } = problem;
  if (sampling.coordinates === 'tf_crop_and_resize') return 'positions may lie outside the source';
  if (touched.length > 2) return `${touched.length} axes are resized`;
  if (layout === 'nhwc4') {
    if (dims.length > 4) return 'there are more than two spatial axes';
    const [axisA = PASSED, axisB = PASSED] = dims.length === 3 ? [PASSED, axes[2]] : axes.slice(2);
    return { axisA, axisB, outer: dims[0] ?? 0, mid: 1, inner: Math.ceil((dims[1] ?? 0) / 4), lanes: 4 };
  }
  const [first, second] = touched.length === 1 ? [undefined, touched[0]] : touched;
  if (second === undefined) {
    return { axisA: PASSED, axisB: PASSED, outer: elementCount(dims), mid: 1, inner: 1, lanes: 1 };
  }
  return {
    axisA: (first === undefined ? undefined : axes[first]) ?? PASSED,
    axisB: axes[second] ?? PASSED,
    outer: elementCount(dims.slice(0, first ?? second)),
    mid: first === undefined ? 1 : elementCount(dims.slice(first + 1, second)),
    inner: elementCount(dims.slice(second + 1)),
    lanes: 1,
  };
}
