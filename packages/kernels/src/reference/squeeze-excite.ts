/** Squeeze-excite in float64, plain loops over dense NCHW. */
import type { Activation } from '../shared/activation.ts';
import type { SqueezeExciteProblem } from '../squeeze-excite/problem.ts';
import { applyActivation } from './activation.ts';

export interface SqueezeExciteOperands {
  /** [batch, channels, height, width] */
  readonly src: ArrayLike<number>;
  /** [hidden, channels] */
  readonly squeezeWeights: ArrayLike<number>;
  /** [hidden] */
  readonly squeezeBias?: ArrayLike<number> | undefined;
  /** [outputs, hidden] */
  readonly exciteWeights: ArrayLike<number>;
  /** [outputs] */
  readonly exciteBias?: ArrayLike<number> | undefined;
}

/** @returns dst, [batch, outputs]. */
export function referenceSqueezeExcite(
  problem: SqueezeExciteProblem,
  operands: SqueezeExciteOperands,
): Float64Array {
  const { batch, channels, height, width, hidden, outputs } = problem;
  const pixels = height * width;
  const dst: number[] = [];
  for (let n = 0; n < batch; n++) {
    const means = Array.from({ length: channels }, (_, c) => {
      let sum = 0;
      for (let p = 0; p < pixels; p++) sum += operands.src[(n * channels + c) * pixels + p] ?? 0;
      return sum / pixels;
    });
    const { squeezeWeights, squeezeBias, exciteWeights, exciteBias } = operands;
    const values = product(
      means,
      hidden,
      { weights: squeezeWeights, bias: squeezeBias },
      problem.hiddenActivation,
    );
    dst.push(...product(values, outputs, { weights: exciteWeights, bias: exciteBias }, problem.activation));
  }
  return Float64Array.from(dst);
}

function product(
  vector: readonly number[],
  rows: number,
  { weights, bias }: { weights: ArrayLike<number>; bias: ArrayLike<number> | undefined },
  activation: readonly Activation[],
): number[] {
  return Array.from({ length: rows }, (_, row) => {
    let sum = bias?.[row] ?? 0;
    vector.forEach((value, column) => {
      sum += value * (weights[row * vector.length + column] ?? 0);
    });
    return applyActivation(activation, sum);
  });
}
