/**
 * Gather with indices that the GPU computed: dst[outer, i, inner] = src[outer, index(i), inner], `outer` being the
 * axes before the gathered one and `inner` those behind it. Negative indices count from the end; those out of range,
 * which ONNX forbids and nobody can refuse here, are clamped. https://onnx.ai/onnx/operators/onnx__Gather.html
 */
import type { MoveElement } from '../move/view.ts';
import { elementCount } from '../shared/layout.ts';
import { misfit, resolveAxis } from '../shared/misfit.ts';

export interface GatherRowsRequest {
  readonly srcDims: readonly number[];
  /** Dims of the indices; they take the axis' place in the result. */
  readonly indexDims: readonly number[];
  readonly axis: number;
  readonly element: MoveElement;
  /** int32, or int64 of which the low word counts. */
  readonly index: 'i32' | 'i64';
}

export interface GatherRowsProblem {
  readonly element: MoveElement;
  readonly index: 'i32' | 'i64';
  readonly dims: readonly number[];
  readonly outer: number;
  /** Of the gathered axis. */
  readonly extent: number;
  readonly indices: number;
  readonly inner: number;
}

/** @throws GpuKernelShapeError for an axis out of range, and an empty axis that something is to be taken from. */
export function makeGatherRowsProblem(request: GatherRowsRequest): GatherRowsProblem {
  const { srcDims, indexDims, element, index } = request;
  const axis = resolveAxis('gather', request.axis, srcDims.length);
  const dims = [...srcDims.slice(0, axis), ...indexDims, ...srcDims.slice(axis + 1)];
  const extent = srcDims[axis] ?? 0;
  if (extent === 0 && elementCount(dims) > 0) throw misfit('gather', 'srcDims', srcDims, 'no empty axis');
  return {
    element,
    index,
    dims,
    outer: elementCount(srcDims.slice(0, axis)),
    extent,
    indices: elementCount(indexDims),
    inner: elementCount(srcDims.slice(axis + 1)),
  };
}
