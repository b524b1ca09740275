/** Expansions with their depthwise convolutions: windows, strides, and counts that fill no vec4. */
import type { Activation } from '../shared/activation.ts';
import { type ExpandDepthwiseProblem, makeExpandDepthwiseProblem } from './problem.ts';

export interface ExpandDepthwiseCase {
  readonly name: string;
  readonly problem: ExpandDepthwiseProblem;
}

interface Windows {
  readonly kernel: readonly [number, number];
  readonly strides?: readonly number[];
  readonly pads?: readonly number[];
  readonly dilations?: readonly number[];
}

const RELU: readonly Activation[] = [{ kind: 'relu' }];

function row(
  name: string,
  src: readonly number[],
  wide: number,
  { kernel, ...windows }: Windows,
  { bias = true, activation = RELU }: { bias?: boolean; activation?: readonly Activation[] } = {},
): ExpandDepthwiseCase {
  const epilogue = { bias, residual: false, activation };
  const problem = makeExpandDepthwiseProblem({
    expand: { src, weights: [wide, src[1] ?? 0, 1, 1], epilogue, weightsConstant: true },
    depthwise: { weights: [wide, 1, ...kernel], ...windows, epilogue, weightsConstant: true },
  });
  return { name, problem };
}

export const EXPAND_DEPTHWISE_CASES: readonly ExpandDepthwiseCase[] = [
  row('3x3', [2, 6, 7, 5], 19, { kernel: [3, 3], pads: [1, 1, 1, 1] }),
  row('5x5 stride 2', [1, 12, 13, 11], 24, { kernel: [5, 5], strides: [2, 2], pads: [2, 2, 2, 2] }),
  row('a map of more than 256 pixels', [1, 5, 17, 19], 6, { kernel: [3, 3], pads: [1, 1, 1, 1] }),
  row(
    'dilated, uneven, without bias or activation',
    [2, 4, 9, 7],
    9,
    {
      ...{ kernel: [3, 2], strides: [1, 2], dilations: [2, 3], pads: [2, 0, 1, 3] },
    },
    { bias: false, activation: [] },
  ),
  row('260 terms', [1, 260, 3, 2], 8, { kernel: [3, 3], pads: [1, 1, 1, 1] }),
  row('no images', [0, 4, 5, 3], 8, { kernel: [3, 3], pads: [1, 1, 1, 1] }),
];
