/** Transposed convolutions of volumes: one feature varied a row, awkward channels and prime extents. */
import type { VolumeConvTransposeOptions } from './problem.ts';

export interface VolumeConvTransposeCase {
  readonly name: string;
  readonly options: VolumeConvTransposeOptions;
}

function row(
  name: string,
  srcDims: readonly number[],
  weightsDims: readonly number[],
  options: Omit<VolumeConvTransposeOptions, 'srcDims' | 'weightsDims'> = {},
): VolumeConvTransposeCase {
  return { name, options: { srcDims, weightsDims, ...options } };
}

export const VOLUME_CONV_TRANSPOSE_CASES: readonly VolumeConvTransposeCase[] = [
  row('dense taps', [1, 2, 3, 4, 5], [2, 3, 3, 3, 3]),
  row('kernel = stride', [2, 3, 2, 3, 5], [3, 4, 2, 2, 2], { strides: [2, 2, 2], biasDims: [4] }),
  row('strides of three kinds', [1, 3, 2, 4, 3], [3, 2, 3, 3, 4], { strides: [1, 2, 3] }),
  row('strides over dilations', [1, 2, 3, 2, 4], [2, 5, 2, 3, 3], {
    ...{ strides: [2, 3, 4], dilations: [3, 2, 2], pads: [1, 0, 2, 0, 2, 3] },
  }),
  row('output padding', [1, 3, 2, 3, 2], [3, 2, 3, 3, 3], {
    ...{ strides: [2, 2, 3], pads: [1, 1, 1, 1, 1, 1], outputPadding: [1, 0, 2] },
  }),
  row('output shape', [1, 2, 3, 2, 2], [2, 2, 3, 3, 3], { strides: [2, 3, 2], outputShape: [6, 9, 5] }),
  row('SAME_UPPER by 2', [1, 2, 2, 3, 2], [2, 3, 3, 3, 3], { strides: [2, 2, 2], autoPad: 'SAME_UPPER' }),
  row('SAME_LOWER by 2', [1, 2, 2, 3, 2], [2, 3, 3, 3, 3], { strides: [2, 2, 2], autoPad: 'SAME_LOWER' }),
  row('SAME with a stride over the kernel', [1, 2, 2, 3, 2], [2, 3, 2, 1, 2], {
    ...{ strides: [3, 3, 3], autoPad: 'SAME_UPPER', biasDims: [3] },
  }),
  row('2 groups of 3 to 2', [2, 6, 2, 3, 2], [6, 2, 2, 3, 2], { groups: 2, strides: [2, 1, 2] }),
  row('depthwise', [1, 5, 2, 3, 4], [5, 1, 3, 3, 3], { groups: 5, strides: [2, 2, 2], biasDims: [5] }),
  row('bias, residual and relu', [2, 3, 2, 3, 2], [3, 4, 2, 2, 3], {
    ...{ biasDims: [4], residual: true, activation: [{ kind: 'relu' }], strides: [1, 2, 2] },
  }),
  row('several blocks of terms', [1, 300, 2, 2, 2], [300, 3, 2, 2, 2]),
  row('no images', [0, 3, 2, 3, 2], [3, 4, 2, 2, 2]),
];
