/**
 * Single outputs of a convolution in float64: the whole of a large layer would take minutes in JavaScript, a few
 * thousand outputs spread over it show the same errors.
 *
 *   dst[n, o, y, x] = bias[o] + sum over c, r, s of
 *     src[n, g * icg + c, y * strideH - padTop + r * dilationH, x * strideW - padLeft + s * dilationW] * weights[o, c, r, s]
 */
import type { ConvProblem } from '@onegpu/kernels';
import { scaledError } from './scaled-error.ts';

export interface ConvOperands {
  /** [batch, ic, ih, iw] */
  readonly src: Float32Array;
  /** [oc, ic / groups, kh, kw] */
  readonly weights: Float32Array;
  /** [oc] */
  readonly bias: Float32Array;
}

/**
 * Scaled error of `dst` ([batch, oc, oh, ow]) at up to `samples` outputs. The steps between them are odd and share
 * no factor with the extents of usual layers, so every channel, edge and tile position has its turn.
 */
export function sampledConvError(
  problem: ConvProblem,
  operands: ConvOperands,
  dst: Float32Array,
  samples: number,
): number {
  const step = Math.max(1, Math.floor(dst.length / samples) | 1);
  const count = Math.ceil(dst.length / step);
  const actual = Float64Array.from({ length: count }, (_, i) => dst[i * step] ?? 0);
  const expected = Float64Array.from({ length: count }, (_, i) => convOutput(problem, operands, i * step));
  return scaledError(actual, expected);
}

/** One output; `index` counts in [batch, oc, oh, ow]. */
export function convOutput(problem: ConvProblem, { src, weights, bias }: ConvOperands, index: number): number {
  const { ic, ih, iw, oc, kh, kw, oh, ow, groups } = problem;
  const x = index % ow;
  const y = Math.floor(index / ow) % oh;
  const o = Math.floor(index / (ow * oh)) % oc;
  const n = Math.floor(index / (ow * oh * oc));
  const icg = ic / groups;
  const firstChannel = Math.floor(o / (oc / groups)) * icg;
  let sum = bias[o] ?? 0;
  for (let c = 0; c < icg; c++) {
    for (let r = 0; r < kh; r++) {
      const row = y * problem.strideH - problem.padTop + r * problem.dilationH;
      if (row < 0 || row >= ih) continue;
      for (let s = 0; s < kw; s++) {
        const column = x * problem.strideW - problem.padLeft + s * problem.dilationW;
        if (column < 0 || column >= iw) continue;
        const value = src[((n * ic + firstChannel + c) * ih + row) * iw + column] ?? 0;
        sum += value * (weights[((o * icg + c) * kh + r) * kw + s] ?? 0);
      }
    }
  }
  return sum;
}
