/** Operators on bytes with scales and zero points. */
import { Tensor } from '../../src/tensor.ts';
import { floats, type OperatorRow, PICTURE, scalar, small, zeroPoint } from './operator-row.ts';

export const QUANTIZED: readonly OperatorRow[] = [
  { op: 'QuantizeLinear', feeds: [floats(PICTURE)], constants: [scalar(0.03), zeroPoint(120)] },
  {
    op: 'QuantizeLinear',
    feeds: [floats(PICTURE)],
    constants: [new Tensor('float32', [0.01, 0.02, 0.03, 0.04, 0.05])],
    attributes: { axis: 1 },
  },
  {
    op: 'DequantizeLinear',
    feeds: [small('uint8', PICTURE)],
    constants: [scalar(0.03), zeroPoint(120)],
  },
  { op: 'DynamicQuantizeLinear', feeds: [floats(PICTURE)], outputs: 3 },
  {
    op: 'ConvInteger',
    feeds: [small('uint8', PICTURE)],
    constants: [small('uint8', [4, 5, 3, 3]), zeroPoint(5), zeroPoint(3)],
  },
  {
    op: 'MatMulInteger',
    feeds: [small('uint8', [5, 7])],
    constants: [small('uint8', [7, 6], 2), zeroPoint(4)],
  },
  {
    op: 'QLinearConv',
    feeds: [small('uint8', PICTURE)],
    constants: [
      ...[scalar(0.05), zeroPoint(5), small('uint8', [4, 5, 3, 3]), scalar(0.02), zeroPoint(3)],
      ...[scalar(0.1), zeroPoint(100)],
    ],
  },
  {
    op: 'QLinearMatMul',
    feeds: [small('uint8', [5, 7])],
    constants: [
      ...[scalar(0.05), zeroPoint(5), small('uint8', [7, 6], 2), scalar(0.02), zeroPoint(3)],
      ...[scalar(0.1), zeroPoint(100)],
    ],
  },
];
