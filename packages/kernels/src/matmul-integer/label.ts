/** Label and cost of a plan of an integer matrix product. */
import type { PlanCost } from '@onegpu/core';
import { elementCount } from '../shared/layout.ts';
import type { MatMulIntegerProblem } from './problem.ts';

/** `matmul-integer/direct/u8i8`. */
export function matmulIntegerLabel(
  { srcType, weightsType }: MatMulIntegerProblem,
  algorithm: string,
): string {
  const types = `${srcType}${weightsType}`.replaceAll('uint', 'u').replaceAll('int', 'i');
  return `matmul-integer/${algorithm}/${types}`;
}

export function matmulIntegerCost(problem: MatMulIntegerProblem): PlanCost {
  const { fullDims, rowDims, columnDims, gemmK } = problem;
  const outputs = elementCount(fullDims);
  const inputs = (elementCount(rowDims) + elementCount(columnDims)) * gemmK;
  return { flops: 2 * outputs * gemmK, bytes: inputs + 4 * outputs };
}
