/** Squeeze-excite cases: prime extents, counts on both sides of vec4, of blocks of channels and of blocks of terms. */
import type { Activation } from '../shared/activation.ts';
import { makeSqueezeExciteProblem, type SqueezeExciteProblem, type SqueezeExciteRequest } from './problem.ts';

export interface SqueezeExciteCase {
  readonly name: string;
  readonly problem: SqueezeExciteProblem;
}

const RELU: readonly Activation[] = [{ kind: 'relu' }];
const GATE: readonly Activation[] = [{ kind: 'hard-sigmoid', alpha: 0.25, beta: 0.5 }];

function row(
  name: string,
  src: readonly number[],
  [hidden, outputs]: readonly [number, number],
  rest: Partial<SqueezeExciteRequest> = {},
): SqueezeExciteCase {
  const channels = src[1] ?? 0;
  const problem = makeSqueezeExciteProblem({
    src,
    squeezeWeights: [hidden, channels],
    exciteWeights: [outputs, hidden],
    squeezeBias: true,
    exciteBias: true,
    hiddenActivation: RELU,
    activation: GATE,
    weightsConstant: true,
    ...rest,
  });
  return { name, problem };
}

/** Pixel counts are powers of two where a mean of integers is to be exact. */
export const SQUEEZE_EXCITE_CASES: readonly SqueezeExciteCase[] = [
  row('72 channels as MobileNetV3 has them', [1, 72, 8, 8], [24, 72]),
  row('counts that fill no vec4', [2, 7, 4, 2], [5, 11]),
  row('one channel, one value', [3, 1, 2, 2], [1, 1]),
  row('17 channels, two blocks', [2, 17, 4, 4], [6, 33]),
  row('one pixel', [2, 12, 1, 1], [4, 12]),
  row('512 channels, wide blocks', [1, 516, 2, 2], [131, 516]),
  row('a sum of 300 hidden values', [1, 8, 2, 1], [300, 9]),
  row('512 pixels', [1, 9, 16, 32], [4, 9]),
  row('without biases', [2, 6, 2, 4], [3, 6], { squeezeBias: false, exciteBias: false }),
  row('without activations', [1, 6, 2, 4], [3, 6], { hiddenActivation: [], activation: [] }),
  row('other activations', [1, 6, 2, 4], [3, 6], {
    hiddenActivation: [{ kind: 'hard-swish' }],
    activation: [...GATE, { kind: 'affine', scale: 1, shift: 1 }],
  }),
  row('no images', [0, 6, 2, 4], [3, 6]),
];
