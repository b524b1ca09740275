/** Normalisations in float64, plain loops. */
import type { BatchNormProblem, RowNormProblem } from '../normalization/problem.ts';

type Numbers = ArrayLike<number>;

export interface BatchNormOperands {
  readonly src: Numbers;
  readonly scale: Numbers;
  readonly bias: Numbers;
  readonly mean: Numbers;
  readonly variance: Numbers;
}

/** @returns dst in NCHW order. */
export function referenceBatchNorm(problem: BatchNormProblem, operands: BatchNormOperands): Float64Array {
  const { src, scale, bias, mean, variance } = operands;
  return Float64Array.from(src, (value, index) => {
    const c = Math.floor(index / problem.plane) % problem.channels;
    const factor = (scale[c] ?? 0) / Math.sqrt((variance[c] ?? 0) + problem.epsilon);
    return (value - (mean[c] ?? 0)) * factor + (bias[c] ?? 0);
  });
}

export function referenceRowNorm(
  problem: RowNormProblem,
  operands: { readonly src: Numbers; readonly scale: Numbers; readonly bias: Numbers },
): Float64Array {
  const { rows, extent, parameters, epsilon } = problem;
  const dst = new Float64Array(rows * extent);
  for (let row = 0; row < rows; row++) {
    const at = (k: number): number => operands.src[row * extent + k] ?? 0;
    let sum = 0;
    for (let k = 0; k < extent; k++) sum += at(k);
    const mean = sum / extent;
    let squares = 0;
    for (let k = 0; k < extent; k++) squares += (at(k) - mean) ** 2;
    const deviation = Math.sqrt(squares / extent + epsilon);
    for (let k = 0; k < extent; k++) {
      const p = problem.operation === 'instance-norm' ? row % parameters : k;
      const bias = problem.bias ? (operands.bias[p] ?? 0) : 0;
      dst[row * extent + k] = ((at(k) - mean) / deviation) * (operands.scale[p] ?? 0) + bias;
    }
  }
  return dst;
}
