/** Max and average pooling in float64, plain loops over an NCHW array. */
import type { PoolProblem } from '../pool/problem.ts';

/** @returns dst in NCHW order. */
export function referencePool(problem: PoolProblem, src: ArrayLike<number>): Float64Array {
  const { srcDims, height, width, operation } = problem;
  const planes = (srcDims[0] ?? 0) * (srcDims[1] ?? 0);
  const dst = new Float64Array(planes * height.output * width.output);
  let at = 0;
  for (let plane = 0; plane < planes; plane++) {
    for (let oh = 0; oh < height.output; oh++) {
      for (let ow = 0; ow < width.output; ow++) {
        const values: number[] = [];
        let counted = 0;
        for (let kh = 0; kh < height.kernel; kh++) {
          for (let kw = 0; kw < width.kernel; kw++) {
            const ih = oh * height.stride - height.padBegin + kh * height.dilation;
            const iw = ow * width.stride - width.padBegin + kw * width.dilation;
            const inside = ih >= 0 && ih < height.input && iw >= 0 && iw < width.input;
            const padded = ih < height.input + height.padEnd && iw < width.input + width.padEnd;
            if (inside) values.push(src[(plane * height.input + ih) * width.input + iw] ?? 0);
            if (inside || (problem.countIncludePad && padded)) counted += 1;
          }
        }
        dst[at++] = operation === 'max' ? maximum(values) : sum(values) / counted;
      }
    }
  }
  return dst;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function maximum(values: readonly number[]): number {
  if (values.length === 0) return -3.4028234663852886e38;
  const numbers = values.filter((value) => !Number.isNaN(value));
  return numbers.length === 0 ? Number.NaN : Math.max(...numbers);
}
