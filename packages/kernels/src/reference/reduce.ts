/** Reductions in float64, plain loops over an NCHW (row-major) array of any rank. */
import type { ReduceProblem } from '../reduce/problem.ts';

/** @returns dst, row-major over the problem's `dstDims`. */
export function referenceReduce(problem: ReduceProblem, src: ArrayLike<number>): Float64Array {
  const { srcDims, axes } = problem;
  const kept = srcDims.map((extent, axis) => (axes.includes(axis) ? 1 : extent));
  const outputs = kept.reduce((product, extent) => product * extent, 1);
  const terms: number[][] = Array.from({ length: outputs }, () => []);
  const total = srcDims.reduce((product, extent) => product * extent, 1);
  for (let at = 0; at < total; at++) {
    let rest = at;
    let index = 0;
    let stride = 1;
    for (let axis = srcDims.length - 1; axis >= 0; axis--) {
      const extent = srcDims[axis] ?? 1;
      if (!axes.includes(axis)) {
        index += (rest % extent) * stride;
        stride *= extent;
      }
      rest = Math.floor(rest / extent);
    }
    terms[index]?.push(src[at] ?? 0);
  }
  return Float64Array.from(terms, (values) => fold(problem, values));
}

function fold({ operation, count, power, emptyBits }: ReduceProblem, values: readonly number[]): number {
  const sum = (of: (value: number) => number): number =>
    values.reduce((total, value) => total + of(value), 0);
  switch (operation) {
    case 'sum':
      return sum((value) => value);
    case 'mean':
      return sum((value) => value) / count;
    case 'prod':
      return values.reduce((product, value) => product * value, 1);
    case 'l1':
      return sum(Math.abs);
    case 'l2':
      return Math.sqrt(sum((value) => value * value));
    case 'lp':
      return sum((value) => Math.abs(value) ** power) ** (1 / power);
    case 'sum-square':
      return sum((value) => value * value);
    case 'log-sum':
      return Math.log(sum((value) => value));
    case 'log-sum-exp': {
      const highest = values.reduce((best, value) => Math.max(best, value), Number.NEGATIVE_INFINITY);
      const shift = Number.isFinite(highest) ? highest : 0;
      return shift + Math.log(sum((value) => Math.exp(value - shift)));
    }
    case 'max':
      return values.reduce((best, value) => Math.max(best, value), Number.NEGATIVE_INFINITY);
    case 'min':
      return values.reduce((best, value) => Math.min(best, value), Number.POSITIVE_INFINITY);
    case 'pool-max':
      return values.length === 0 && emptyBits !== undefined ? floatOf(emptyBits) : poolMax(values);
  }
}

function floatOf(bits: number): number {
  return new Float32Array(Uint32Array.of(bits).buffer)[0] ?? 0;
}

function poolMax(values: readonly number[]): number {
  if (values.length === 0) return -3.4028234663852886e38;
  const numbers = values.filter((value) => !Number.isNaN(value));
  return numbers.length === 0 ? Number.NaN : Math.max(...numbers);
}
