/** The reference of reductions and global average pooling. */
import { type ReduceProblem, reduceSum, referenceReduce } from '@onegpu/kernels/core';
import type { ReferenceOutput } from '../op-definition.ts';
import { squares, sums, walkOf } from './reference.ts';

export function reduceOutput(problem: ReduceProblem, src: Float32Array): ReferenceOutput {
  const { dstDims, operation, count } = problem;
  const values = referenceReduce(problem, src);
  if (operation !== 'sum' && operation !== 'mean') return sums(dstDims, values, reduceSum(problem));
  const divisor = operation === 'mean' ? count : 1;
  const walk = (): number =>
    walkOf(referenceReduce({ ...problem, operation: 'sum' }, squares(src))) / divisor;
  return sums(dstDims, values, reduceSum(problem), walk);
}
