/** Quantisation problems that tests share; prime extents, one feature varied a row. */
import type { Layout } from '../shared/layout.ts';
import { QUANTIZED_TYPES } from '../shared/quantized-type.ts';
import {
  type DequantizeProblem,
  makeDequantizeProblem,
  makeQuantizeProblem,
  type QuantizeProblem,
} from './problem.ts';

interface ScaleCase {
  readonly name: string;
  readonly dims: readonly number[];
  readonly scaleDims: readonly number[];
  readonly axis?: number;
  readonly blockSize?: number;
  readonly layout?: Layout;
  readonly zeroPoint?: boolean;
}

const SCALES: readonly ScaleCase[] = [
  { name: 'one scale', dims: [2, 7, 11], scaleDims: [] },
  { name: 'one scale in a list, no zero point', dims: [2, 7, 11], scaleDims: [1], zeroPoint: false },
  { name: 'one scale, channels last', dims: [2, 7, 3, 5], scaleDims: [], layout: 'nhwc4' },
  { name: 'a scale a channel', dims: [2, 7, 3, 5], scaleDims: [7] },
  { name: 'a scale a channel, channels last', dims: [2, 7, 3, 5], scaleDims: [7], layout: 'nhwc4' },
  { name: 'a scale an index of the first axis', dims: [5, 3, 7], scaleDims: [5], axis: 0 },
  { name: 'a scale an index of the last axis', dims: [5, 3, 7], scaleDims: [7], axis: -1, zeroPoint: false },
  { name: 'blocks of an inner axis', dims: [3, 6, 5], scaleDims: [3, 2, 5], axis: 1, blockSize: 3 },
  { name: 'a last block cut short', dims: [3, 5, 11], scaleDims: [3, 5, 3], axis: 2, blockSize: 4 },
  { name: 'blocks of the first axis', dims: [7, 5], scaleDims: [4, 5], axis: 0, blockSize: 2 },
  { name: 'one element', dims: [], scaleDims: [] },
  { name: 'no elements', dims: [0, 3], scaleDims: [] },
];

export const QUANTIZE_CASES: readonly { readonly name: string; readonly problem: QuantizeProblem }[] = [
  ...SCALES.flatMap(({ name, ...scales }) =>
    QUANTIZED_TYPES.map((dst) => ({
      name: `${name}, ${dst}`,
      problem: makeQuantizeProblem({ zeroPoint: true, ...scales, dst }),
    })),
  ),
  {
    name: 'whole numbers',
    problem: makeQuantizeProblem({ dims: [5, 7], scaleDims: [], src: 'int32', dst: 'uint8' }),
  },
  {
    name: 'quotients in half precision',
    problem: makeQuantizeProblem({ dims: [5, 97], scaleDims: [], dst: 'int8', precision: 'float16' }),
  },
];

export const DEQUANTIZE_CASES: readonly { readonly name: string; readonly problem: DequantizeProblem }[] =
  SCALES.flatMap(({ name, ...scales }) =>
    [...QUANTIZED_TYPES, 'int32' as const].map((src) => ({
      name: `${name}, ${src}`,
      problem: makeDequantizeProblem({ zeroPoint: true, ...scales, src }),
    })),
  );
