/** Max unpooling, plain loops: the elements are moved as they are. */
import type { MaxUnpoolProblem } from '../max-unpool/problem.ts';

/** For each element of dst, row-major, the number of the element of src it takes; -1 where it stays zero. */
export function referenceMaxUnpool(problem: MaxUnpoolProblem, indices: ArrayLike<number>): Float64Array {
  const { innerDims, dstDims, sources, outputs } = problem;
  const inner = innerDims.reduce((product, extent) => product * extent, 1);
  const dst = new Float64Array(outputs).fill(-1);
  for (let at = 0; at < sources; at++) {
    const place = indices[at] ?? -1;
    if (place < 0 || place >= inner) continue;
    let rest = place;
    let target = 0;
    let stride = 1;
    let inside = true;
    for (let axis = innerDims.length - 1; axis >= 0; axis--) {
      const extent = innerDims[axis] ?? 1;
      const coordinate = rest % extent;
      rest = Math.floor(rest / extent);
      inside &&= coordinate < (dstDims[axis] ?? 1);
      target += coordinate * stride;
      stride *= dstDims[axis] ?? 1;
    }
    if (inside) dst[target] = at;
  }
  return dst;
}
