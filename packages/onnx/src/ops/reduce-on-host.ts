/**
 * Reductions of constants: shape arithmetic (the number of elements is a ReduceProd of a shape) and constant
 * folding. Numbers are float64 on the way, so int64 is exact within 2^53.
 */
import { GpuKernelShapeError } from '@onegpu/core';
import { type ReduceProblem, referenceReduce } from '@onegpu/kernels/core';
import { floatTensor, isFloatType, readNumbers } from '../host/numbers.ts';
import { Tensor } from '../tensor.ts';

/** @throws GpuKernelShapeError for strings and results that are no 53-bit integers where they must be. */
export function reduceOnHost(problem: ReduceProblem, src: Tensor): Tensor {
  if (src.type === 'string') {
    throw new GpuKernelShapeError('this type is not reduced on the host', {
      subject: 'Reduce',
      field: 'type',
      got: src.type,
    });
  }
  const values = readNumbers(src);
  const results = Array.from(referenceReduce(problem, values));
  if (isFloatType(src.type)) return floatTensor(src.type, results, problem.dstDims);
  const wide = src.type === 'int64' || src.type === 'uint64';
  return new Tensor(src.type, wide ? results.map(toBigInt) : results, problem.dstDims);
}

function toBigInt(value: number): bigint {
  const whole = Math.trunc(value);
  if (Number.isSafeInteger(whole)) return BigInt(whole);
  throw new GpuKernelShapeError('the result is no integer within 2^53', {
    subject: 'Reduce',
    field: 'value',
    got: String(value),
  });
}
