/** Merged maps in float64 over dense NCHW: each part resampled, gated, then placed or added. */
import type { MergeMapsProblem } from '../merge-maps/problem.ts';
import { referenceResize } from './resize.ts';

export interface MergeMapsOperands {
  readonly src: ArrayLike<number>;
  /** [batch, channels] of the part. */
  readonly gate?: ArrayLike<number> | undefined;
}

/** @returns dst [dstDims]; `operands` has one entry a part. */
export function referenceMergeMaps(
  { merge, parts, dstDims }: MergeMapsProblem,
  operands: readonly MergeMapsOperands[],
): Float64Array {
  const [batch = 0, channels = 0, height = 0, width = 0] = dstDims;
  const plane = height * width;
  const dst = new Float64Array(batch * channels * plane);
  let first = 0;
  parts.forEach(({ resize }, part) => {
    const { src = [], gate } = operands[part] ?? {};
    const values = referenceResize(resize, src);
    const [, own = 0, rows = 0, columns = 0] = resize.dstDims;
    for (let at = 0; at < batch * own * plane; at++) {
      const map = Math.floor(at / plane);
      // One row or column stands for all of them.
      const y = rows === 1 ? 0 : Math.floor((at % plane) / width);
      const x = columns === 1 ? 0 : at % width;
      const value = values[(map * rows + y) * columns + x] ?? 0;
      const to = (Math.floor(map / own) * channels + first + (map % own)) * plane + (at % plane);
      dst[to] = (dst[to] ?? 0) + value * (gate?.[map] ?? 1);
    }
    if (merge === 'concat') first += own;
  });
  return dst;
}
