/** Operators that move elements and compute none. */
import { Tensor } from '../../src/tensor.ts';
import { floats, integers, type OperatorRow, PICTURE, scalar } from './operator-row.ts';

export const MOVEMENT: readonly OperatorRow[] = [
  { op: 'Gather', feeds: [floats([7, 11]), new Tensor('int32', [6, 0, -1, 3], [2, 2])] },
  { op: 'Concat', feeds: [floats(PICTURE), floats([2, 3, 7, 11], 2)], attributes: { axis: 1 } },
  {
    op: 'Split',
    feeds: [floats(PICTURE)],
    constants: [integers(2, 3)],
    attributes: { axis: 1 },
    outputs: 2,
  },
  { op: 'Pad', feeds: [floats(PICTURE)], constants: [integers(0, 1, 2, 0, 0, 0, 1, 3), scalar(9)] },
  { op: 'Transpose', feeds: [floats(PICTURE)], attributes: { perm: [3, 1, 0, 2] } },
  { op: 'DepthToSpace', feeds: [floats([1, 12, 3, 5])], attributes: { blocksize: 2, mode: 'CRD' } },
  { op: 'SpaceToDepth', feeds: [floats([1, 3, 4, 6])], attributes: { blocksize: 2 } },
  { op: 'Expand', feeds: [floats([5, 1, 3])], constants: [integers(2, 5, 7, 3)] },
  { op: 'Tile', feeds: [floats([2, 3])], constants: [integers(3, 2)] },
  {
    op: 'Gather',
    feeds: [new Tensor('int32', [5, -6, 7, 8, 9, 10], [3, 2])],
    constants: [integers(2, 0, 2)],
  },
  {
    op: 'Slice',
    feeds: [floats(PICTURE)],
    constants: [integers(6), integers(-9), integers(2), integers(-2)],
  },
  { op: 'Reshape', feeds: [floats(PICTURE)], constants: [integers(0, -1)] },
  { op: 'Flatten', feeds: [floats(PICTURE)], attributes: { axis: 2 } },
  { op: 'Squeeze', feeds: [floats([2, 1, 3])], constants: [integers(1)] },
  { op: 'Unsqueeze', feeds: [floats([2, 3])], constants: [integers(0, 3)] },
];
