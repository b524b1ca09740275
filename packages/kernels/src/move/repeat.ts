/** Views that repeat elements: Expand, Tile, and Gather with indices known on the host. */
import { broadcastDims } from '../shared/broadcast.ts';
import { misfit, resolveAxis } from '../shared/misfit.ts';
import { denseStrides, type MoveProblem, makeView } from './view.ts';

/**
 * The source broadcast against `shape`, both ways as in numpy.
 * @throws GpuKernelShapeError where the two do not fit.
 */
export function makeExpandProblem(srcDims: readonly number[], shape: readonly number[]): MoveProblem {
  const dims = broadcastDims('expand', [srcDims, shape]);
  const own = denseStrides(srcDims);
  const lead = dims.length - srcDims.length;
  const axes = dims.map((extent, axis) => ({
    extent,
    stride: (srcDims[axis - lead] ?? 1) === 1 ? 0 : (own[axis - lead] ?? 0),
  }));
  return makeView({ operator: 'expand', srcDims, dims, axes });
}

/** The source repeated `repeats[axis]` times along each axis. @throws GpuKernelShapeError for a wrong list. */
export function makeTileProblem(srcDims: readonly number[], repeats: readonly number[]): MoveProblem {
  if (repeats.length !== srcDims.length || repeats.some((count) => !Number.isInteger(count) || count < 0)) {
    throw misfit('tile', 'repeats', repeats, `${srcDims.length} counts`);
  }
  const strides = denseStrides(srcDims);
  const axes = srcDims.flatMap((extent, axis) => [
    { extent: repeats[axis] ?? 1, stride: 0 },
    { extent, stride: strides[axis] ?? 1 },
  ]);
  const dims = srcDims.map((extent, axis) => extent * (repeats[axis] ?? 1));
  return makeView({ operator: 'tile', srcDims, dims, axes });
}

export interface GatherRequest {
  readonly srcDims: readonly number[];
  readonly axis: number;
  /** Along the axis; negative ones count from its end. */
  readonly indices: ArrayLike<number>;
  /** Dims of the indices; they take the axis' place in the result. */
  readonly indexDims: readonly number[];
}

/** @throws GpuKernelShapeError for an axis or an index out of range. */
export function makeGatherProblem({ srcDims, axis, indices, indexDims }: GatherRequest): MoveProblem {
  const at = resolveAxis('gather', axis, srcDims.length);
  const extent = srcDims[at] ?? 1;
  const strides = denseStrides(srcDims);
  const stride = strides[at] ?? 1;
  const table = Int32Array.from(indices, (given) => {
    const index = given < 0 ? given + extent : given;
    if (!(index >= 0 && index < extent)) {
      throw misfit('gather', 'indices', given, `-${extent} to ${extent - 1}`);
    }
    return index * stride;
  });
  const plain = (position: number): { extent: number; stride: number } => ({
    extent: srcDims[position] ?? 1,
    stride: strides[position] ?? 1,
  });
  const before = srcDims.slice(0, at);
  const after = srcDims.slice(at + 1);
  return makeView({
    operator: 'gather',
    srcDims,
    dims: [...before, ...indexDims, ...after],
    axes: [
      ...before.map((_, position) => plain(position)),
      { extent: table.length, stride: 0, table },
      ...after.map((_, position) => plain(at + 1 + position)),
    ],
  });
}
