/** Integer convolutions that tests share; prime extents, one feature varied a row. */
import type { ByteType } from '../shared/quantized-type.ts';
import { type ConvIntegerProblem, type ConvIntegerRequest, makeConvIntegerProblem } from './problem.ts';

export interface ConvIntegerCase {
  readonly name: string;
  readonly problem: ConvIntegerProblem;
}

const BYTES: readonly ByteType[] = ['uint8', 'int8'];

function rows(name: string, request: Partial<ConvIntegerRequest>): ConvIntegerCase[] {
  return (['nchw', 'nhwc4'] as const).map((layout) => ({
    name: `${name}, ${layout}`,
    problem: makeConvIntegerProblem({
      srcType: 'uint8',
      weightsType: 'int8',
      src: [2, 5, 7, 11],
      weights: [6, 5, 3, 3],
      srcZeroPoint: true,
      layout,
      weightsConstant: layout === 'nhwc4',
      ...request,
    }),
  }));
}

export const CONV_INTEGER_CASES: readonly ConvIntegerCase[] = [
  ...BYTES.flatMap((srcType) =>
    BYTES.flatMap((weightsType) => [
      ...rows(`${srcType} with ${weightsType}`, { srcType, weightsType, pads: [1, 1, 1, 1] }),
      ...rows(`${srcType} with ${weightsType}, a zero point a channel`, {
        srcType,
        weightsType,
        pads: [1, 2, 0, 1],
        weightsZeroPointDims: [6],
      }),
      ...rows(`depthwise ${srcType} with ${weightsType}`, {
        srcType,
        weightsType,
        src: [2, 7, 5, 9],
        weights: [7, 1, 3, 3],
        groups: 7,
        pads: [1, 1, 1, 1],
        weightsZeroPointDims: [7],
      }),
    ]),
  ),
  ...rows('no zero points', { srcZeroPoint: false, pads: [1, 1, 1, 1] }),
  ...rows('one zero point of the weights', { weightsZeroPointDims: [], pads: [1, 1, 1, 1] }),
  ...rows('strides and dilations', { strides: [2, 3], dilations: [2, 1], pads: [2, 1, 2, 1] }),
  ...rows('1-D', { src: [1, 5, 37], weights: [3, 5, 4], strides: [3], pads: [2, 1] }),
  ...rows('3-D', {
    src: [1, 3, 4, 5, 7],
    weights: [5, 3, 2, 3, 2],
    strides: [1, 2, 1],
    pads: [1, 1, 0, 0, 1, 1],
  }),
  ...rows('pointwise', { weights: [9, 5, 1, 1] }),
  ...rows('groups of whole words', {
    src: [1, 8, 5, 7],
    weights: [8, 4, 3, 3],
    groups: 2,
    pads: [1, 1, 1, 1],
  }),
  ...rows('SAME_LOWER', { autoPad: 'SAME_LOWER', strides: [2, 2] }),
  ...rows('a window of padding alone', { src: [1, 5, 2, 3], pads: [3, 3, 3, 3] }),
  ...rows('depthwise, strided and dilated', {
    src: [1, 9, 11, 7],
    weights: [9, 1, 3, 2],
    groups: 9,
    strides: [2, 1],
    dilations: [1, 3],
    pads: [1, 0, 1, 3],
  }),
  ...rows('depthwise in three axes', { src: [1, 4, 3, 4, 5], weights: [4, 1, 2, 2, 2], groups: 4 }),
  ...[1, 2, 3, 4, 8, 13, 31, 32, 33].flatMap((ic) =>
    rows(`${ic} channels`, { src: [1, ic, 3, 5], weights: [ic, ic, 2, 2] }),
  ),
  ...rows('empty batch', { src: [0, 5, 7, 11] }),
  ...rows('no channels of src', { src: [1, 0, 3, 3], weights: [5, 0, 2, 2] }),
  ...rows('no channels of dst', { weights: [0, 5, 2, 2] }),
  {
    name: 'groups of odd channels, nchw',
    problem: makeConvIntegerProblem({
      srcType: 'uint8',
      weightsType: 'int8',
      src: [1, 6, 5, 7],
      weights: [4, 3, 3, 3],
      groups: 2,
      pads: [1, 1, 1, 1],
      srcZeroPoint: true,
    }),
  },
];
