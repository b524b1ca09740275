/** Deformable convolution in float64, as plain loops over outputs, channels and taps. */
import type { ConvProblem } from '../conv/problem.ts';
import type { DeformConvProblem } from '../deform-conv/problem.ts';
import { applyActivation } from './activation.ts';

export interface DeformConvOperands {
  /** [batch, ic, ih, iw] */
  readonly src: ArrayLike<number>;
  /** [oc, ic / groups, kh, kw] */
  readonly weights: ArrayLike<number>;
  /** [batch, offsetGroups, kh * kw, 2, oh, ow] */
  readonly offset: ArrayLike<number>;
  /** [batch, offsetGroups, kh * kw, oh, ow] */
  readonly mask?: ArrayLike<number> | undefined;
  /** [oc] */
  readonly bias?: ArrayLike<number> | undefined;
  /** [batch, oc, oh, ow] */
  readonly residual?: ArrayLike<number> | undefined;
}

/** Dense [batch, oc, oh, ow] with the problem's epilogue applied. */
export function referenceDeformConv(problem: DeformConvProblem, operands: DeformConvOperands): Float64Array {
  const { batch, ic, oc, oh, ow, kh, kw, groups, epilogue } = problem.conv;
  const pixels = oh * ow;
  const dst = new Float64Array(batch * oc * pixels);
  const icg = ic / groups;
  for (let n = 0; n < batch; n++) {
    for (let c = 0; c < ic; c++) {
      const group = Math.floor(c / icg);
      for (let tap = 0; tap < kh * kw; tap++) {
        for (let pixel = 0; pixel < pixels; pixel++) {
          const value = sampleTap(problem, operands, { n, c, tap, pixel });
          for (let o = (group * oc) / groups; o < ((group + 1) * oc) / groups; o++) {
            const weight = operands.weights[(o * icg + (c % icg)) * kh * kw + tap] ?? 0;
            dst[(n * oc + o) * pixels + pixel] = (dst[(n * oc + o) * pixels + pixel] ?? 0) + value * weight;
          }
        }
      }
    }
  }
  return dst.map((sum, index) => {
    const bias = operands.bias?.[Math.floor(index / pixels) % oc] ?? 0;
    return applyActivation(epilogue.activation, sum + bias + (operands.residual?.[index] ?? 0));
  });
}

function sampleTap(
  { conv, offsetGroups }: DeformConvProblem,
  { src, offset, mask }: DeformConvOperands,
  { n, c, tap, pixel }: { n: number; c: number; tap: number; pixel: number },
): number {
  const { ic, ih, iw, oh, ow, kh, kw } = conv;
  const plane = (n * offsetGroups + Math.floor(c / (ic / offsetGroups))) * kh * kw + tap;
  const dy = offset[2 * plane * oh * ow + pixel] ?? 0;
  const dx = offset[(2 * plane + 1) * oh * ow + pixel] ?? 0;
  const y = Math.floor(pixel / ow) * conv.strideH - conv.padTop + Math.floor(tap / kw) * conv.dilationH + dy;
  const x = (pixel % ow) * conv.strideW - conv.padLeft + (tap % kw) * conv.dilationW + dx;
  const picture = { src, first: (n * ic + c) * ih * iw, ih, iw };
  return bilinear(picture, y, x) * (mask === undefined ? 1 : (mask[plane * oh * ow + pixel] ?? 0));
}

function bilinear(
  { src, first, ih, iw }: { src: ArrayLike<number>; first: number } & Pick<ConvProblem, 'ih' | 'iw'>,
  y: number,
  x: number,
): number {
  if (!(y > -1 && y < ih && x > -1 && x < iw)) return 0;
  const [top, left] = [Math.floor(y), Math.floor(x)];
  const at = (row: number, column: number): number =>
    row < 0 || row >= ih || column < 0 || column >= iw ? 0 : (src[first + row * iw + column] ?? 0);
  const upper = at(top, left) * (left + 1 - x) + at(top, left + 1) * (x - left);
  const lower = at(top + 1, left) * (left + 1 - x) + at(top + 1, left + 1) * (x - left);
  return upper * (top + 1 - y) + lower * (y - top);
}
