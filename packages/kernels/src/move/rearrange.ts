/** Views that keep every element and change the order: Transpose, DepthToSpace and SpaceToDepth. */
import { misfit } from '../shared/misfit.ts';
import { denseStrides, type MoveOperator, type MoveProblem, makeView } from './view.ts';

/**
 * Axis i of the result is axis perm[i] of the source; absent: the axes in reverse.
 * @throws GpuKernelShapeError when perm is no permutation.
 */
export function makeTransposeProblem(srcDims: readonly number[], perm?: readonly number[]): MoveProblem {
  const order = perm ?? srcDims.map((_, axis) => srcDims.length - 1 - axis);
  const sorted = [...order].sort((a, b) => a - b);
  if (order.length !== srcDims.length || sorted.some((axis, position) => axis !== position)) {
    throw misfit('transpose', 'perm', order, `a permutation of ${srcDims.length} axes`);
  }
  const dims = order.map((axis) => srcDims[axis] ?? 1);
  return permuted('transpose', srcDims, srcDims, order, dims);
}

/** A permutation of `shape`, which the source is read as, into a result of `dims`. */
function permuted(
  operator: MoveOperator,
  srcDims: readonly number[],
  shape: readonly number[],
  order: readonly number[],
  dims: readonly number[],
): MoveProblem {
  const strides = denseStrides(shape);
  const axes = order.map((axis) => ({ extent: shape[axis] ?? 1, stride: strides[axis] ?? 1 }));
  return makeView({ operator, srcDims, dims, axes });
}

export interface DepthRequest {
  /** [batch, channels, height, width]. */
  readonly srcDims: readonly number[];
  readonly block: number;
  /** Where a block's position stands in the deep tensor's channel axis: `DCR` outermost, `CRD` innermost. */
  readonly mode: 'DCR' | 'CRD';
}

/**
 * [batch, block^2 c, h, w] to [batch, c, block h, block w]; mode `CRD` is pixel shuffle.
 * @throws GpuKernelShapeError when the channels are no multiple of block^2.
 */
export function makeDepthToSpaceProblem({ srcDims, block, mode }: DepthRequest): MoveProblem {
  const [batch, channels, height, width] = imageDims('depth-to-space', srcDims, block);
  if (channels % block ** 2 !== 0) {
    throw misfit('depth-to-space', 'channels', channels, `a multiple of ${block ** 2}`);
  }
  const depth = channels / block ** 2;
  const dims = [batch, depth, height * block, width * block];
  return mode === 'DCR'
    ? permuted(
        'depth-to-space',
        srcDims,
        [batch, block, block, depth, height, width],
        [0, 3, 4, 1, 5, 2],
        dims,
      )
    : permuted(
        'depth-to-space',
        srcDims,
        [batch, depth, block, block, height, width],
        [0, 1, 4, 2, 5, 3],
        dims,
      );
}

/**
 * [batch, c, block h, block w] to [batch, block^2 c, h, w]; modes as for depth to space, of which this is the inverse.
 * @throws GpuKernelShapeError when height or width is no multiple of block.
 */
export function makeSpaceToDepthProblem({ srcDims, block, mode }: DepthRequest): MoveProblem {
  const [batch, channels, height, width] = imageDims('space-to-depth', srcDims, block);
  if (height % block !== 0 || width % block !== 0) {
    throw misfit('space-to-depth', 'extents', `${height} x ${width}`, `multiples of ${block}`);
  }
  const [rows, columns] = [height / block, width / block];
  const shape = [batch, channels, rows, block, columns, block];
  const order = mode === 'DCR' ? [0, 3, 5, 1, 2, 4] : [0, 1, 3, 5, 2, 4];
  const dims = [batch, channels * block ** 2, rows, columns];
  return permuted('space-to-depth', srcDims, shape, order, dims);
}

function imageDims(
  operator: MoveOperator,
  srcDims: readonly number[],
  block: number,
): readonly [number, number, number, number] {
  if (srcDims.length !== 4) throw misfit(operator, 'rank', srcDims.length, '4');
  if (!Number.isInteger(block) || block < 1) throw misfit(operator, 'block', block, 'at least 1');
  const [batch = 1, channels = 1, height = 1, width = 1] = srcDims;
  return [batch, channels, height, width];
}
