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
  const { plane, channels, epsilon } = problem;
  const dst = new Float64Array(src.length);
  for (let first = 0; first < dst.length; first += plane) {
    const c = (first / plane) % channels;
    const factor = (scale[c] ?? 0) / Math.sqrt((variance[c] ?? 0) + epsilon);
    for (let at = first; at < first + plane; at++) {
      dst[at] = ((src[at] ?? 0) - (mean[c] ?? 0)) * factor + (bias[c] ?? 0);
    }
  }
  return dst;
}

/** What the rows of a problem are normalised with, one number a row each. */
export function referenceRowStatistics(
  { rows, extent, epsilon }: RowNormProblem,
  src: Numbers,
): { readonly mean: Float64Array; readonly deviation: Float64Array } {
  const mean = new Float64Array(rows);
  const deviation = new Float64Array(rows);
  for (let row = 0; row < rows; row++) {
    const at = (k: number): number => src[row * extent + k] ?? 0;
    let sum = 0;
    for (let k = 0; k < extent; k++) sum += at(k);
    const middle = sum / extent;
    let squares = 0;
    for (let k = 0; k < extent; k++) squares += (at(k) - middle) ** 2;
    mean[row] = middle;
    deviation[row] = Math.sqrt(squares / extent + epsilon);
  }
  return { mean, deviation };
}

export function referenceRowNorm(
  problem: RowNormProblem,
  operands: { readonly src: Numbers; readonly scale: Numbers; readonly bias: Numbers },
): Float64Array {
  const { rows, extent, parameters } = problem;
  const { mean, deviation } = referenceRowStatistics(problem, operands.src);
  const dst = new Float64Array(rows * extent);
  for (let row = 0; row < rows; row++) {
    for (let k = 0; k < extent; k++) {
      const p = problem.operation === 'instance-norm' ? row % parameters : k;
      const bias = problem.bias ? (operands.bias[p] ?? 0) : 0;
      const centred = (operands.src[row * extent + k] ?? 0) - (mean[row] ?? 0);
      dst[row * extent + k] = (centred / (deviation[row] ?? 0)) * (operands.scale[p] ?? 0) + bias;
    }
  }
  return dst;
}
