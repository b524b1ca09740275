/** Convolutions of volumes: one feature varied a row, prime extents. */
import { type Epilogue, PLAIN_EPILOGUE } from '../shared/epilogue.ts';
import type { VolumeConvRequest } from './problem.ts';

export interface VolumeConvCase {
  readonly name: string;
  readonly request: VolumeConvRequest;
}

type Attributes = Partial<Omit<VolumeConvRequest, 'src' | 'weights'>>;

function row(name: string, src: readonly number[], weights: readonly number[], attributes: Attributes = {}) {
  return { name, request: { src, weights, epilogue: PLAIN_EPILOGUE, weightsConstant: true, ...attributes } };
}

const SAME_3X3X3: Attributes = { pads: [1, 1, 1, 1, 1, 1] };
const WHOLE: Epilogue = { bias: true, residual: true, activation: [{ kind: 'relu' }] };

export const VOLUME_CONV_CASES: readonly VolumeConvCase[] = [
  ...([1, 2, 3, 4, 5, 16, 17, 33, 65] as const).map((ic) =>
    row(`channels ${ic} to ${66 - ic}`, [1, ic, 2, 3, 5], [66 - ic, ic, 2, 2, 3]),
  ),
  row('3x3x3, same', [2, 3, 5, 3, 7], [6, 3, 3, 3, 3], SAME_3X3X3),
  row('1x1x1', [2, 5, 3, 5, 2], [7, 5, 1, 1, 1]),
  row('window as large as the volume', [2, 3, 3, 5, 2], [4, 3, 3, 5, 2]),
  row('strides of three kinds', [1, 3, 7, 11, 5], [5, 3, 3, 2, 3], { strides: [1, 2, 3] }),
  row('dilations of three kinds', [1, 2, 7, 11, 9], [4, 2, 2, 3, 3], { dilations: [3, 2, 4] }),
  row('pads of six kinds', [1, 2, 3, 2, 5], [4, 2, 3, 2, 3], {
    pads: [2, 0, 1, 1, 3, 4],
    strides: [2, 1, 2],
  }),
  row('SAME_UPPER stride 2', [1, 3, 4, 5, 7], [4, 3, 3, 3, 2], { strides: [2, 2, 2], autoPad: 'SAME_UPPER' }),
  row('SAME_LOWER stride 2', [1, 3, 4, 5, 7], [4, 3, 3, 3, 2], { strides: [2, 2, 2], autoPad: 'SAME_LOWER' }),
  row('VALID', [1, 3, 4, 5, 7], [4, 3, 3, 3, 2], { autoPad: 'VALID' }),
  row('3 groups of 2 to 3', [2, 6, 3, 5, 2], [9, 2, 2, 3, 2], { groups: 3 }),
  row('depthwise', [1, 5, 3, 5, 7], [5, 1, 3, 3, 3], { groups: 5, ...SAME_3X3X3 }),
  row('channel multiplier 2', [1, 3, 3, 5, 2], [6, 1, 2, 2, 2], { groups: 3, epilogue: WHOLE }),
  row('several blocks of terms', [1, 20, 3, 3, 4], [5, 20, 3, 3, 3], SAME_3X3X3),
  row('bias, residual and relu', [2, 3, 3, 5, 4], [6, 3, 2, 2, 2], { epilogue: WHOLE }),
  row('weights that are not constant', [1, 4, 3, 5, 2], [8, 4, 2, 2, 2], { weightsConstant: false }),
  row('no images', [0, 4, 3, 5, 2], [8, 4, 2, 2, 2]),
];
