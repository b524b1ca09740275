/**
 * A problem seen as [mid_0, axis_0, mid_1, axis_1, ..., inner]: any number of resized axes with what lies between them.
 */
import { elementCount } from '../shared/layout.ts';
import type { ResizeAxis } from './plan.ts';
import type { ResizeProblem } from './problem.ts';

export interface ViewAxis {
  readonly axis: ResizeAxis;
  /** Elements between the resized axis before (or the front) and this one. */
  readonly mid: number;
}

export interface AxesView {
  readonly axes: readonly ViewAxis[];
  /** Stored elements behind the last resized axis; vec4 in `nhwc4`. */
  readonly inner: number;
  readonly lanes: 1 | 4;
}

export function axesView({ layout, srcDims, axes, touched }: ResizeProblem): AxesView {
  const lanes = layout === 'nhwc4' ? 4 : 1;
  const [batch = 0, channels = 0, ...spatial] = srcDims;
  const dims = lanes === 4 ? [batch, ...spatial, Math.ceil(channels / 4)] : srcDims;
  let from = 0;
  const view = touched.flatMap((at) => {
    const axis = axes[at];
    if (axis === undefined) return [];
    const place = lanes === 4 ? at - 1 : at;
    const mid = elementCount(dims.slice(from, place));
    from = place + 1;
    return [{ axis, mid }];
  });
  return { axes: view, inner: elementCount(dims.slice(from)), lanes };
}

/** Elements (vec4 in `nhwc4`) of the result. */
export function viewTotal({ axes, inner }: AxesView): number {
  return axes.reduce((product, { axis, mid }) => product * mid * axis.output, inner);
}
