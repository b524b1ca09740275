/**
 * A view: the source word of every element of a dense result, as one sum over the result's axes. Slice, Transpose,
 * Expand, Tile, Gather, Pad, depth to space and back are all views, so that one kernel and one host loop serve them.
 */
import { elementCount } from '../shared/layout.ts';

export type MoveOperator =
  | 'slice'
  | 'transpose'
  | 'expand'
  | 'tile'
  | 'gather'
  | 'pad'
  | 'depth-to-space'
  | 'space-to-depth';

/** One axis of the result. */
export interface ViewAxis {
  readonly extent: number;
  /** Source elements from one coordinate to the next; zero repeats, negative runs backwards. */
  readonly stride: number;
  /** Instead of `stride`: the source offset of each coordinate, or -1 for the fill value. */
  readonly table?: Int32Array;
}

/** What a moving kernel moves: words, or the two words of an integer of 64 bits. */
export type MoveElement = 'u32' | 'vec2u';

export interface MoveProblem {
  readonly operator: MoveOperator;
  readonly srcDims: readonly number[];
  /** Extents of the result. */
  readonly dims: readonly number[];
  /** Source element of the result's first element, tables aside. */
  readonly offset: number;
  /** Axes whose extents multiply to the result's size, outermost first; neighbours that move alike are merged. */
  readonly axes: readonly ViewAxis[];
  /** Bits of the value that `-1` in a table stands for. */
  readonly fill: number;
  /** Its upper 32 bits, of 64. */
  readonly fillHigh: number;
}

export interface ViewRequest {
  readonly operator: MoveOperator;
  readonly srcDims: readonly number[];
  readonly dims: readonly number[];
  readonly axes: readonly ViewAxis[];
  readonly offset?: number;
  readonly fill?: number;
  readonly fillHigh?: number;
}

/** Merges axes and checks that the view covers the result. */
export function makeView(request: ViewRequest): MoveProblem {
  const { operator, srcDims, dims, axes, offset = 0, fill = 0, fillHigh = 0 } = request;
  return { operator, srcDims, dims, offset, axes: mergeViewAxes(axes), fill, fillHigh };
}

/** Number of elements of the result. */
export function moveElements(problem: MoveProblem): number {
  return elementCount(problem.dims);
}

/** Source elements from one coordinate of an axis to the next, dense and row-major. */
export function denseStrides(dims: readonly number[]): readonly number[] {
  const strides = new Array<number>(dims.length).fill(1);
  for (let axis = dims.length - 2; axis >= 0; axis--) {
    strides[axis] = (strides[axis + 1] ?? 1) * (dims[axis + 1] ?? 1);
  }
  return strides;
}

/** The source element of every element of the result, -1 for the fill value: what the kernel does, on the host. */
export function viewIndices(problem: MoveProblem): Int32Array {
  const indices = new Int32Array(moveElements(problem));
  for (let position = 0; position < indices.length; position++) {
    let rest = position;
    let index = problem.offset;
    let filled = false;
    for (let at = problem.axes.length - 1; at >= 0; at--) {
      const axis = problem.axes[at] as ViewAxis;
      const coordinate = rest % axis.extent;
      rest = Math.floor(rest / axis.extent);
      const step = axis.table === undefined ? coordinate * axis.stride : (axis.table[coordinate] ?? -1);
      filled ||= axis.table !== undefined && step < 0;
      index += step;
    }
    indices[position] = filled ? -1 : index;
  }
  return indices;
}

function mergeViewAxes(axes: readonly ViewAxis[]): readonly ViewAxis[] {
  const merged: ViewAxis[] = [];
  for (const axis of axes) {
    if (axis.extent === 1 && axis.table === undefined) continue;
    const outer = merged.at(-1);
    const joins =
      outer !== undefined &&
      outer.table === undefined &&
      axis.table === undefined &&
      outer.stride === axis.stride * axis.extent;
    if (joins) merged[merged.length - 1] = { extent: outer.extent * axis.extent, stride: axis.stride };
    else merged.push(axis);
  }
  return merged;
}
