/** Shapes that tests and benchmarks share: one feature varied a row, awkward channels and prime extents. */
import type { Layout } from '../shared/layout.ts';
import { type ConvTransposeOptions, type ConvTransposeProblem, makeConvTransposeProblem } from './problem.ts';

export interface ConvTransposeCase {
  readonly name: string;
  readonly options: ConvTransposeOptions;
}

/** The case in a layout. */
export function convTransposeCase(entry: ConvTransposeCase, layout: Layout): ConvTransposeProblem {
  return makeConvTransposeProblem({ ...entry.options, layout });
}

const RELU = [{ kind: 'relu' }] as const;
const constant = { weightsConstant: true } as const;

export const CONV_TRANSPOSE_CASES: readonly ConvTransposeCase[] = [
  {
    name: 'text detection head, kernel = stride',
    options: {
      srcDims: [1, 8, 5, 7],
      weightsDims: [8, 8, 2, 2],
      biasDims: [8],
      strides: [2, 2],
      activation: RELU,
      ...constant,
    },
  },
  {
    name: 'text detection map, kernel = stride, one channel',
    options: {
      srcDims: [2, 12, 3, 5],
      weightsDims: [12, 1, 2, 2],
      biasDims: [1],
      strides: [2, 2],
      ...constant,
    },
  },
  {
    name: 'kernel = stride, odd channels, residual',
    options: {
      srcDims: [2, 6, 3, 5],
      weightsDims: [6, 5, 3, 2],
      biasDims: [5],
      strides: [3, 2],
      residual: true,
      ...constant,
    },
  },
  {
    name: 'text detection head, few channels and many pixels',
    options: {
      srcDims: [1, 12, 17, 19],
      weightsDims: [12, 11, 2, 2],
      biasDims: [11],
      strides: [2, 2],
      activation: RELU,
      ...constant,
    },
  },
  {
    name: 'kernel = stride, one channel, sixteen taps, several blocks of terms',
    options: { srcDims: [1, 520, 3, 2], weightsDims: [520, 1, 4, 4], strides: [4, 4], ...constant },
  },
  {
    name: 'kernel = stride, one channel, three taps',
    options: { srcDims: [1, 4, 3, 7], weightsDims: [4, 1, 1, 3], strides: [1, 3], ...constant },
  },
  {
    name: 'upsampling 4x4 by 2',
    options: {
      srcDims: [1, 16, 5, 7],
      weightsDims: [16, 8, 4, 4],
      strides: [2, 2],
      pads: [1, 1, 1, 1],
      biasDims: [8],
      ...constant,
    },
  },
  {
    name: '3x3 by 2 with output padding, odd channels',
    options: {
      srcDims: [2, 5, 4, 7],
      weightsDims: [5, 7, 3, 3],
      strides: [2, 2],
      pads: [1, 1, 1, 1],
      outputPadding: [1, 1],
      activation: RELU,
      ...constant,
    },
  },
  {
    name: 'dilation beside stride, pads of four kinds',
    options: {
      srcDims: [1, 7, 5, 6],
      weightsDims: [7, 3, 3, 2],
      strides: [2, 3],
      dilations: [3, 2],
      pads: [1, 0, 2, 3],
      biasDims: [3],
      ...constant,
    },
  },
  {
    name: 'dilation that divides by the stride: phases without taps',
    options: {
      srcDims: [1, 4, 3, 5],
      weightsDims: [4, 4, 2, 3],
      strides: [2, 4],
      dilations: [2, 2],
      biasDims: [4],
      ...constant,
    },
  },
  {
    name: 'groups of whole vec4',
    options: {
      srcDims: [1, 8, 3, 5],
      weightsDims: [8, 4, 3, 3],
      groups: 2,
      strides: [2, 1],
      residual: true,
      ...constant,
    },
  },
  {
    name: 'groups of 3 and 2 channels with dilation',
    options: {
      srcDims: [2, 6, 5, 3],
      weightsDims: [6, 2, 3, 3],
      groups: 2,
      dilations: [2, 2],
      pads: [2, 0, 1, 1],
      ...constant,
    },
  },
  {
    name: 'depthwise upsampling',
    options: {
      srcDims: [1, 6, 5, 7],
      weightsDims: [6, 1, 4, 4],
      groups: 6,
      strides: [2, 2],
      pads: [1, 1, 1, 1],
      biasDims: [6],
      ...constant,
    },
  },
  {
    name: 'SAME_UPPER by 2',
    options: {
      srcDims: [1, 3, 4, 5],
      weightsDims: [3, 4, 3, 3],
      strides: [2, 2],
      autoPad: 'SAME_UPPER',
      ...constant,
    },
  },
  {
    name: 'SAME_LOWER by 2',
    options: {
      srcDims: [1, 3, 4, 5],
      weightsDims: [3, 4, 3, 3],
      strides: [2, 2],
      autoPad: 'SAME_LOWER',
      ...constant,
    },
  },
  {
    name: 'SAME_UPPER with output padding',
    options: {
      srcDims: [1, 3, 3, 3],
      weightsDims: [3, 2, 3, 3],
      strides: [2, 2],
      autoPad: 'SAME_UPPER',
      outputPadding: [1, 1],
      ...constant,
    },
  },
  {
    name: 'SAME with a stride over the kernel: places no tap reaches',
    options: {
      srcDims: [1, 3, 3, 4],
      weightsDims: [3, 4, 2, 2],
      strides: [3, 3],
      autoPad: 'SAME_UPPER',
      biasDims: [4],
      ...constant,
    },
  },
  {
    name: 'output shape',
    options: {
      srcDims: [1, 4, 3, 4],
      weightsDims: [4, 4, 3, 3],
      strides: [3, 2],
      outputShape: [10, 8],
      ...constant,
    },
  },
  {
    name: 'one axis, long stride',
    options: {
      srcDims: [1, 4, 9],
      weightsDims: [4, 3, 20],
      strides: [10],
      pads: [5, 5],
      biasDims: [3],
      ...constant,
    },
  },
  {
    name: 'one axis, groups and output padding',
    options: {
      srcDims: [2, 4, 7],
      weightsDims: [4, 2, 3],
      groups: 2,
      strides: [2],
      pads: [1, 1],
      outputPadding: [1],
      ...constant,
    },
  },
  {
    name: 'several blocks of terms',
    options: { srcDims: [1, 520, 2, 3], weightsDims: [520, 4, 3, 3], strides: [2, 2], ...constant },
  },
  {
    name: 'weights that are not constant',
    options: { srcDims: [1, 18, 3, 5], weightsDims: [18, 3, 3, 3], strides: [2, 2], biasDims: [3] },
  },
  {
    name: 'an empty batch',
    options: { srcDims: [0, 4, 3, 5], weightsDims: [4, 4, 2, 2], strides: [2, 2], ...constant },
  },
];
