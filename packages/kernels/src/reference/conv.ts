/**
 * Reference convolution in float64 over dense NCHW tensors and OIHW weights: the source values under each window as
 * rows of a matrix, their dot products with the rows of the weights. `sumTaps` is the same sum as plain loops, for
 * samples of layers too large to compute whole and as the check of this one.
 */
import type { ConvProblem } from '../conv/problem.ts';
import { applyActivation } from './activation.ts';
import { rowProducts } from './row-products.ts';

export interface ConvOperands {
  /** [batch, ic, ih, iw] */
  readonly src: ArrayLike<number>;
  /** [oc, ic / groups, kh, kw] */
  readonly weights: ArrayLike<number>;
  /** [oc] */
  readonly bias?: ArrayLike<number> | undefined;
  /** [batch, oc, oh, ow] */
  readonly residual?: ArrayLike<number> | undefined;
  /** The second source and its weights, where the problem has a shortcut. */
  readonly shortcutSrc?: ArrayLike<number> | undefined;
  readonly shortcutWeights?: ArrayLike<number> | undefined;
}

/** Elements of the windows gathered at once: what a second-level cache holds beside the weights. */
const WINDOW_ELEMENTS = 32_768;

/** Returns dst, [batch, oc, oh, ow] dense; the problem's epilogue is applied, its layout is not looked at. */
export function referenceConv(problem: ConvProblem, operands: ConvOperands): Float64Array {
  const { batch, oc, oh, ow, ic, groups, kh, kw, epilogue } = problem;
  const pixels = oh * ow;
  const terms = (ic / groups) * kh * kw;
  const dst = new Float64Array(batch * oc * pixels);
  const src = new Float64Array(operands.src);
  const weights = new Float64Array(operands.weights);
  const block = Math.max(2, Math.floor(WINDOW_ELEMENTS / Math.max(terms, 1)));
  const windows = new Float64Array(Math.min(block, pixels) * terms);
  for (let part = 0; part < batch * groups; part++) {
    const first = (part % groups) * (oc / groups);
    const a = { data: weights, start: first * terms, count: oc / groups };
    const plane = (Math.floor(part / groups) * oc + first) * pixels;
    for (let from = 0; from < pixels; from += block) {
      const count = Math.min(block, pixels - from);
      gatherWindows(problem, src, { part, from, count }, windows);
      const to = { data: dst, start: plane + from, rowStep: pixels };
      rowProducts(a, { data: windows, start: 0, count }, terms, to);
    }
  }
  const second = shortcutSums(problem, operands);
  if (second !== undefined) for (let i = 0; i < dst.length; i++) dst[i] = (dst[i] ?? 0) + (second[i] ?? 0);
  if (!epilogue.bias && !epilogue.residual && epilogue.activation.length === 0) return dst;
  return dst.map((sum, index) => {
    const bias = epilogue.bias ? (operands.bias?.[Math.floor(index / pixels) % oc] ?? 0) : 0;
    const residual = epilogue.residual ? (operands.residual?.[index] ?? 0) : 0;
    return applyActivation(epilogue.activation, sum + bias + residual);
  });
}

/** What a shortcut adds to the sums: a 1x1 convolution of the second source. */
function shortcutSums(
  problem: ConvProblem,
  { shortcutSrc = [], shortcutWeights = [] }: ConvOperands,
): Float64Array | undefined {
  if (problem.shortcut === undefined) return undefined;
  const alone: ConvProblem = {
    ...{ ...problem, ...problem.shortcut, shortcut: undefined },
    ...{ kh: 1, kw: 1, padTop: 0, padLeft: 0 },
    epilogue: { bias: false, residual: false, activation: [] },
  };
  return referenceConv(alone, { src: shortcutSrc, weights: shortcutWeights });
}

/** Source values under the windows of output pixels `from` on, [count, ic / groups, kh, kw]; zero in the padding. */
function gatherWindows(
  problem: ConvProblem,
  src: Float64Array,
  // Which image and group (image * groups + group), and which pixels.
  { part, from, count }: { part: number; from: number; count: number },
  windows: Float64Array,
): void {
  const { ic, ih, iw, ow, groups, kh, kw, strideH, strideW, dilationH, dilationW, padTop, padLeft } = problem;
  const channels = ic / groups;
  let to = 0;
  for (let pixel = from; pixel < from + count; pixel++) {
    const top = Math.floor(pixel / ow) * strideH - padTop;
    const left = (pixel % ow) * strideW - padLeft;
    for (let c = part * channels; c < (part + 1) * channels; c++) {
      for (let r = 0; r < kh; r++) {
        const y = top + r * dilationH;
        const row = (c * ih + y) * iw;
        for (let s = 0; s < kw; s++) {
          const x = left + s * dilationW;
          const inside = y >= 0 && y < ih && x >= 0 && x < iw;
          windows[to++] = inside ? (src[row + x] as number) : 0;
        }
      }
    }
  }
}

/** The sum of one output, before the epilogue. */
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
