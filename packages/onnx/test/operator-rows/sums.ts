/** Operators that sum over axes: matrices, normalisations, reductions. */
import { floats, integers, type OperatorRow, PICTURE, positive } from './operator-row.ts';

const REDUCE = 'Sum Mean Max Min Prod L1 L2 SumSquare LogSum LogSumExp'.split(' ');

export const SUMS: readonly OperatorRow[] = [
  {
    op: 'Gemm',
    feeds: [floats([7, 5])],
    constants: [floats([7, 11], 2), floats([11], 3)],
    attributes: { transA: 1, alpha: { float: 0.3 }, beta: { float: 1.7 } },
  },
  {
    op: 'Gemm',
    feeds: [floats([3, 7])],
    constants: [floats([5, 7], 2), floats([3, 1], 3)],
    attributes: { transB: 1 },
  },
  { op: 'MatMul', feeds: [floats([2, 1, 3, 7]), floats([5, 7, 4], 2)] },
  {
    op: 'BatchNormalization',
    feeds: [floats(PICTURE)],
    constants: [floats([5], 2), floats([5], 3), floats([5], 4), floats([5], 5, 0.5, 2)],
  },
  { op: 'InstanceNormalization', feeds: [floats(PICTURE)], constants: [floats([5], 2), floats([5], 3)] },
  {
    op: 'LayerNormalization',
    feeds: [floats([3, 4, 13])],
    constants: [floats([13], 2), floats([13], 3)],
    outputs: 3,
  },
  ...REDUCE.map((name) => ({
    op: `Reduce${name}`,
    feeds: [name.startsWith('Log') ? positive : floats(PICTURE)],
    constants: [integers(1, -1)],
    attributes: { keepdims: 0 },
    opset: 18,
  })),
  { op: 'Softmax', feeds: [floats(PICTURE)], attributes: { axis: 1 } },
  { op: 'LogSoftmax', feeds: [floats(PICTURE)] },
];
