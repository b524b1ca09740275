/** Local response normalisation in float64, plain loops over a row-major array. */
import type { LrnProblem } from '../lrn/problem.ts';

/** @returns dst, row-major over the problem's dims. */
export function referenceLrn(problem: LrnProblem, src: ArrayLike<number>): Float64Array {
  const { dims, channels, plane, size, alpha, beta, bias } = problem;
  const dst = new Float64Array((dims[0] ?? 0) * channels * plane);
  for (let at = 0; at < dst.length; at++) {
    const channel = Math.floor(at / plane) % channels;
    const first = Math.max(channel - Math.floor((size - 1) / 2), 0);
    const last = Math.min(channel + Math.ceil((size - 1) / 2), channels - 1);
    let squares = 0;
    for (let c = first; c <= last; c++) squares += (src[at + (c - channel) * plane] ?? 0) ** 2;
    dst[at] = (src[at] ?? 0) / (bias + (alpha / size) * squares) ** beta;
  }
  return dst;
}
