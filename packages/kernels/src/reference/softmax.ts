/** Softmax and LogSoftmax in float64, plain loops over [outer, extent, inner]. */
import type { SoftmaxProblem } from '../softmax/problem.ts';

export function referenceSoftmax(problem: SoftmaxProblem, src: ArrayLike<number>): Float64Array {
  const { outer, extent, inner, operation } = problem;
  const dst = new Float64Array(outer * extent * inner);
  for (let o = 0; o < outer; o++) {
    for (let i = 0; i < inner; i++) {
      const at = (k: number): number => (o * extent + k) * inner + i;
      let highest = Number.NEGATIVE_INFINITY;
      for (let k = 0; k < extent; k++) highest = Math.max(highest, src[at(k)] ?? 0);
      let sum = 0;
      for (let k = 0; k < extent; k++) sum += Math.exp((src[at(k)] ?? 0) - highest);
      for (let k = 0; k < extent; k++) {
        const shifted = (src[at(k)] ?? 0) - highest;
        dst[at(k)] = operation === 'softmax' ? Math.exp(shifted) / sum : shifted - Math.log(sum);
      }
    }
  }
  return dst;
}
