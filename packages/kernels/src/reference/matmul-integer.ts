/** Integer matrix products by plain loops, sums wrapped to int32. */
import type { MatMulIntegerProblem } from '../matmul-integer/problem.ts';

export interface MatMulIntegerOperands {
  readonly src: ArrayLike<number>;
  readonly weights: ArrayLike<number>;
  readonly srcZeroPoint?: ArrayLike<number> | undefined;
  readonly weightsZeroPoint?: ArrayLike<number> | undefined;
}

/** @returns dst, dense. */
export function referenceMatMulInteger(
  problem: MatMulIntegerProblem,
  { src, weights, srcZeroPoint, weightsZeroPoint }: MatMulIntegerOperands,
): Int32Array {
  const { fullDims, rowDims, columnDims, gemmK, gemmN } = problem;
  const count = fullDims.reduce((product, extent) => product * extent, 1);
  return Int32Array.from({ length: count }, (_, position) => {
    const row = broadcastPosition(position, fullDims, rowDims);
    const column = broadcastPosition(position, fullDims, columnDims);
    const srcZero = srcZeroPoint?.[broadcastPosition(position, fullDims, problem.srcZeroDims ?? [])] ?? 0;
    const weightsZero =
      weightsZeroPoint?.[broadcastPosition(position, fullDims, problem.weightsZeroDims ?? [])] ?? 0;
    const matrix = Math.floor(column / gemmN) * gemmN * gemmK;
    let sum = 0;
    for (let k = 0; k < gemmK; k++) {
      const weight = weights[matrix + k * gemmN + (column % gemmN)] ?? 0;
      sum += ((src[row * gemmK + k] ?? 0) - srcZero) * (weight - weightsZero);
    }
    return sum;
  });
}

/** Position in an operand of `dims` that stands under `position` of the result, after numpy. */
export function broadcastPosition(
  position: number,
  result: readonly number[],
  dims: readonly number[],
): number {
  let [index, step, rest] = [0, 1, position];
  for (let axis = result.length - 1; axis >= 0; axis--) {
    const extent = result[axis] ?? 1;
    const own = dims[axis - result.length + dims.length] ?? 1;
    if (own !== 1) index += (rest % extent) * step;
    step *= own;
    rest = Math.floor(rest / extent);
  }
  return index;
}
