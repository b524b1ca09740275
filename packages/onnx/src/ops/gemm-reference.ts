/** The reference of Gemm and MatMul. */
import { type GemmProblem, type GemmReferenceOperands, gemmReference, gemmSum } from '@onegpu/kernels/core';
import type { ReferenceOutput } from '../op-definition.ts';
import { squares, sums, walkOf } from './reference.ts';

export function gemmOutput(problem: GemmProblem, operands: GemmReferenceOperands): ReferenceOutput {
  const walk = (): number => {
    const squared = {
      src: squares(operands.src),
      weights: squares(operands.weights),
      bias: squares(operands.bias),
    };
    const factors = { alpha: problem.alpha ** 2, beta: problem.beta ** 2 };
    return walkOf(gemmReference({ ...problem, ...factors }, squared));
  };
  return sums(problem.dstDims, gemmReference(problem, operands), gemmSum(problem), walk);
}
