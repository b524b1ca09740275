/** Operators that slide a window over a map, and those that make its size another. */
import { integerFill } from '@onegpu/testing';
import { Tensor } from '../../src/tensor.ts';
import { floats, integers, type OperatorRow, PICTURE } from './operator-row.ts';

export const WINDOWS: readonly OperatorRow[] = [
  {
    op: 'Conv',
    feeds: [floats([2, 6, 7, 11])],
    constants: [floats([4, 3, 3, 2], 2), floats([4], 3)],
    attributes: { group: 2, pads: [1, 0, 2, 1], strides: [2, 1], dilations: [1, 2] },
  },
  { op: 'Conv', feeds: [floats([2, 3, 13])], constants: [floats([5, 3, 3], 2)] },
  {
    op: 'ConvTranspose',
    feeds: [floats([2, 4, 5, 7])],
    constants: [floats([4, 3, 3, 2], 2), floats([6], 3)],
    attributes: { group: 2, pads: [1, 0, 1, 1], strides: [2, 3], output_padding: [1, 0] },
  },
  {
    op: 'Conv',
    feeds: [floats([2, 4, 5, 7, 3])],
    constants: [floats([6, 2, 3, 3, 2], 2), floats([6], 3)],
    attributes: { group: 2, pads: [1, 0, 2, 1, 1, 0], strides: [2, 1, 1] },
  },
  {
    op: 'ConvTranspose',
    feeds: [floats([2, 32, 2, 3, 4])],
    constants: [floats([32, 3, 3, 2, 3], 2), floats([3], 3)],
    attributes: { pads: [1, 0, 1, 1, 1, 0], strides: [2, 3, 1] },
  },
  {
    op: 'DeformConv',
    feeds: [floats([2, 4, 7, 5])],
    constants: [
      floats([6, 2, 3, 3], 2),
      floats([2, 36, 7, 5], 3),
      floats([6], 4),
      floats([2, 18, 7, 5], 5, 0, 1),
    ],
    attributes: { group: 2, offset_group: 2, pads: [1, 1, 1, 1] },
    opset: 22,
  },
  {
    op: 'DeformConv',
    feeds: [floats([1, 4, 3, 5, 4])],
    constants: [floats([6, 4, 2, 3, 1], 2), floats([1, 18, 2, 5, 4], 3)],
    attributes: { pads: [0, 1, 0, 0, 1, 0] },
    opset: 19,
  },
  {
    op: 'DeformConv',
    feeds: [floats([2, 4, 11])],
    constants: [floats([6, 4, 3], 2), floats([2, 3, 5], 3)],
    attributes: { strides: [2] },
    opset: 22,
  },
  {
    op: 'MaxPool',
    feeds: [floats(PICTURE)],
    attributes: { kernel_shape: [3, 2], strides: [2, 2], pads: [1, 0, 1, 1], ceil_mode: 1 },
  },
  {
    op: 'AveragePool',
    feeds: [floats(PICTURE)],
    attributes: { kernel_shape: [3, 3], pads: [1, 1, 1, 1], count_include_pad: 1 },
  },
  {
    op: 'MaxPool',
    feeds: [floats([1, 3, 5, 7, 4])],
    attributes: { kernel_shape: [2, 3, 2], strides: [2, 2, 1], pads: [1, 0, 1, 0, 1, 0], storage_order: 1 },
    outputs: 2,
  },
  {
    op: 'MaxPool',
    feeds: [
      new Tensor(
        'int8',
        Int8Array.from({ length: 77 }, (_, at) => (at * 37) % 256),
        [1, 1, 7, 11],
      ),
    ],
    attributes: { kernel_shape: [3, 3] },
  },
  { op: 'LpPool', feeds: [floats(PICTURE)], attributes: { kernel_shape: [3, 2], p: 3 }, opset: 18 },
  { op: 'GlobalLpPool', feeds: [floats(PICTURE)], attributes: { p: 1 } },
  {
    op: 'MaxUnpool',
    feeds: [floats([1, 2, 3]), new Tensor('int64', [0, 3, 4, 7, 9, 10].map(BigInt), [1, 2, 3])],
    attributes: { kernel_shape: [2], strides: [2] },
  },
  { op: 'LRN', feeds: [floats(PICTURE)], attributes: { size: 3, alpha: { float: 0.5 } } },
  { op: 'GlobalMaxPool', feeds: [floats(PICTURE)] },
  { op: 'GlobalAveragePool', feeds: [floats(PICTURE)] },
  {
    op: 'Resize',
    feeds: [floats(PICTURE)],
    constants: [undefined, undefined, integers(2, 5, 13, 17)],
    attributes: { mode: 'linear' },
  },
  {
    op: 'Resize',
    feeds: [floats(PICTURE)],
    constants: [undefined, new Tensor('float32', [1, 1, 2, 3])],
    attributes: { coordinate_transformation_mode: 'asymmetric', nearest_mode: 'floor' },
  },
  {
    op: 'Resize',
    feeds: [new Tensor('uint8', [...integerFill(70, 5, 0, 255)], [1, 2, 5, 7])],
    constants: [undefined, undefined, integers(1, 2, 13, 11)],
    attributes: { mode: 'cubic' },
  },
  {
    op: 'Resize',
    feeds: [
      new Tensor(
        'int64',
        Array.from({ length: 35 }, (_, at) => BigInt(at) << 40n),
        [5, 7],
      ),
    ],
    constants: [new Tensor('float32', [0, -0.5, 1, 0.5]), undefined, integers(4, 9)],
    attributes: { coordinate_transformation_mode: 'tf_crop_and_resize', extrapolation_value: { float: -3 } },
  },
  {
    op: 'Resize',
    feeds: [floats([1, 5, 3, 4, 5])],
    constants: [undefined, new Tensor('float32', [1, 1, 2, 0.5, 3])],
    attributes: { mode: 'linear' },
  },
  {
    op: 'Upsample',
    feeds: [floats(PICTURE)],
    constants: [new Tensor('float32', [1, 1, 2, 2])],
    opset: 9,
  },
];
