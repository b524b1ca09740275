/** Reference convolution in float64: plain loops over dense NCHW tensors and OIHW weights. */
import type { ConvProblem } from '../conv/problem.ts';
import { applyActivation } from './activation.ts';

export interface ConvOperands {
  /** [batch, ic, ih, iw] */
  readonly src: ArrayLike<number>;
  /** [oc, ic / groups, kh, kw] */
  readonly weights: ArrayLike<number>;
  /** [oc] */
  readonly bias?: ArrayLike<number> | undefined;
  /** [batch, oc, oh, ow] */
  readonly residual?: ArrayLike<number> | undefined;
}

/** Returns dst, [batch, oc, oh, ow] dense; the problem's epilogue is applied, its layout is not looked at. */
export function referenceConv(problem: ConvProblem, operands: ConvOperands): Float64Array {
  const { batch, oc, oh, ow, epilogue } = problem;
  const dst = new Float64Array(batch * oc * oh * ow);
  let index = 0;
  for (let n = 0; n < batch; n++) {
    for (let o = 0; o < oc; o++) {
      for (let y = 0; y < oh; y++) {
        for (let x = 0; x < ow; x++) {
          let value = sumTaps(problem, operands, { n, o, y, x });
          if (epilogue.bias) value += operands.bias?.[o] ?? 0;
          if (epilogue.residual) value += operands.residual?.[index] ?? 0;
          dst[index++] = applyActivation(epilogue.activation, value);
        }
      }
    }
  }
  return dst;
}

/** The sum of one output, before the epilogue; for samples of layers too large to compute whole. */
export function sumTaps(
  problem: ConvProblem,
  { src, weights }: ConvOperands,
  { n, o, y, x }: { n: number; o: number; y: number; x: number },
): number {
  const { ic, ih, iw, kh, kw, groups, oc } = problem;
  const channels = ic / groups;
  const first = Math.floor(o / (oc / groups)) * channels;
  let sum = 0;
  for (let c = 0; c < channels; c++) {
    for (let r = 0; r < kh; r++) {
      const sy = y * problem.strideH - problem.padTop + r * problem.dilationH;
      if (sy < 0 || sy >= ih) continue;
      for (let s = 0; s < kw; s++) {
        const sx = x * problem.strideW - problem.padLeft + s * problem.dilationW;
        if (sx < 0 || sx >= iw) continue;
        const value = src[((n * ic + first + c) * ih + sy) * iw + sx] ?? 0;
        sum += value * (weights[((o * channels + c) * kh + r) * kw + s] ?? 0);
      }
    }
  }
  return sum;
}
