/** Convolution cases: one feature varied a row, prime extents, both sides of every tile edge. */
import type { Epilogue } from '../shared/epilogue.ts';
import { PLAIN_EPILOGUE } from '../shared/epilogue.ts';
import type { ConvRequest } from './problem.ts';

export interface ConvCase {
  readonly name: string;
  /** The layout is the test's to choose. */
  readonly request: Omit<ConvRequest, 'layout'>;
}

type Attributes = Partial<Omit<ConvRequest, 'src' | 'weights' | 'layout'>>;

function row(name: string, src: readonly number[], weights: readonly number[], attributes: Attributes = {}) {
  return { name, request: { src, weights, epilogue: PLAIN_EPILOGUE, weightsConstant: true, ...attributes } };
}

const SAME_3X3: Attributes = { pads: [1, 1, 1, 1] };

/** A 3x3 over 5x7 pixels for each pair of channel counts. */
const CHANNELS: readonly ConvCase[] = [
  ...([1, 2, 3, 4, 5, 8, 11, 16, 17] as const).map((channels) => [channels, 18 - channels] as const),
  ...([31, 32, 33, 63, 64, 65] as const).map((channels) => [channels, 96 - channels + 1] as const),
].map(([ic, oc]) => row(`channels ${ic} to ${oc}`, [1, ic, 5, 7], [oc, ic, 3, 3], SAME_3X3));

const GROUPS: readonly ConvCase[] = [
  row('2 groups of 4 to 8', [2, 8, 5, 7], [16, 4, 3, 3], { groups: 2, ...SAME_3X3 }),
  row('3 groups of 2 to 3', [2, 6, 5, 7], [9, 2, 3, 3], { groups: 3, ...SAME_3X3 }),
  row('4 groups of 8 to 12, 1x1', [1, 32, 5, 7], [48, 8, 1, 1], { groups: 4 }),
  row('channel multiplier 2', [1, 6, 5, 7], [12, 1, 3, 3], { groups: 6, ...SAME_3X3 }),
];

const DEPTHWISE: readonly ConvCase[] = [
  row('depthwise 3x3', [2, 12, 7, 11], [12, 1, 3, 3], { groups: 12, ...SAME_3X3 }),
  row('depthwise 3x3 stride 2', [1, 12, 13, 9], [12, 1, 3, 3], { groups: 12, strides: [2, 2], ...SAME_3X3 }),
  row('depthwise 5x5', [1, 7, 7, 11], [7, 1, 5, 5], { groups: 7, pads: [2, 2, 2, 2] }),
  row('depthwise 5x5 stride 2', [1, 8, 13, 11], [8, 1, 5, 5], {
    ...{ groups: 8, strides: [2, 2], pads: [2, 2, 2, 2] },
  }),
  row('depthwise dilated, asymmetric', [1, 5, 13, 11], [5, 1, 3, 2], {
    ...{ groups: 5, dilations: [2, 3], pads: [2, 0, 1, 3], strides: [1, 2] },
  }),
  row('depthwise 1-D', [2, 6, 17], [6, 1, 3], { groups: 6, pads: [1, 1] }),
  row('one group of one channel', [1, 1, 7, 11], [1, 1, 3, 3], SAME_3X3),
];

const WINDOWS: readonly ConvCase[] = [
  row('1x1', [2, 20, 7, 11], [24, 20, 1, 1]),
  row('1x1 stride 2', [2, 20, 7, 11], [24, 20, 1, 1], { strides: [2, 2] }),
  row('1x1 with pads', [1, 8, 7, 11], [12, 8, 1, 1], { pads: [1, 0, 2, 1] }),
  row('1x1 over one pixel', [3, 40, 1, 1], [12, 40, 1, 1]),
  row('3x3 stride 2, asymmetric pads', [2, 6, 13, 9], [10, 6, 3, 3], { strides: [2, 2], pads: [0, 1, 2, 1] }),
  row('3x3 dilated 2', [1, 5, 13, 9], [6, 5, 3, 3], { dilations: [2, 2], pads: [2, 2, 2, 2] }),
  row('5x2 strides 1 and 3', [1, 5, 13, 11], [6, 5, 5, 2], { strides: [1, 3], pads: [2, 1, 2, 0] }),
  row('7x7 stride 2 stem', [1, 3, 27, 37], [16, 3, 7, 7], { strides: [2, 2], pads: [3, 3, 3, 3] }),
  row('SAME_UPPER stride 2', [1, 4, 8, 11], [8, 4, 3, 3], { strides: [2, 2], autoPad: 'SAME_UPPER' }),
  row('SAME_LOWER stride 2', [1, 4, 8, 11], [8, 4, 3, 3], { strides: [2, 2], autoPad: 'SAME_LOWER' }),
  row('VALID', [1, 4, 8, 11], [8, 4, 3, 3], { autoPad: 'VALID' }),
  row('1-D', [2, 6, 23], [10, 6, 5], { pads: [1, 2], strides: [2] }),
  row('window as large as the picture', [2, 4, 5, 7], [8, 4, 5, 7]),
  row('batch of 3 over pixel tiles', [3, 8, 3, 5], [8, 8, 3, 3], SAME_3X3),
];

const TERMS: readonly ConvCase[] = [
  row('256 terms', [1, 256, 3, 5], [8, 256, 1, 1]),
  row('260 terms', [1, 260, 3, 5], [8, 260, 1, 1]),
  row('268 terms, a prime number of vec4', [1, 268, 3, 5], [8, 268, 1, 1]),
  row('4608 terms', [1, 512, 3, 5], [8, 512, 3, 3], SAME_3X3),
  row('1 channel, 17x17 taps', [1, 1, 19, 23], [4, 1, 17, 17]),
];

const epilogueCase = (name: string, epilogue: Epilogue): ConvCase =>
  row(name, [2, 6, 7, 11], [10, 6, 3, 3], { epilogue, ...SAME_3X3 });

const EPILOGUES: readonly ConvCase[] = [
  epilogueCase('bias', { bias: true, residual: false, activation: [] }),
  epilogueCase('residual', { bias: false, residual: true, activation: [] }),
  epilogueCase('bias, residual and relu', { bias: true, residual: true, activation: [{ kind: 'relu' }] }),
  epilogueCase('clip and affine', {
    ...{ bias: true, residual: false },
    activation: [
      { kind: 'clip', min: -8, max: 6 },
      { kind: 'affine', scale: 2, shift: 1 },
    ],
  }),
  row('depthwise with the whole epilogue', [1, 6, 7, 11], [6, 1, 3, 3], {
    ...{ groups: 6, ...SAME_3X3 },
    epilogue: { bias: true, residual: true, activation: [{ kind: 'relu' }] },
  }),
];

const EMPTY: readonly ConvCase[] = [
  row('no images', [0, 4, 5, 7], [8, 4, 3, 3], SAME_3X3),
  row('weights that are not constant', [1, 4, 5, 7], [8, 4, 3, 3], { weightsConstant: false }),
];

export const CONV_CASES: readonly ConvCase[] = [
  ...CHANNELS,
  ...GROUPS,
  ...DEPTHWISE,
  ...WINDOWS,
  ...TERMS,
  ...EPILOGUES,
  ...EMPTY,
];
