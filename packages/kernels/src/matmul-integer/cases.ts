/** Integer matrix products that tests share; prime extents, one feature varied a row. */
import type { ByteType } from '../shared/quantized-type.ts';
import { type MatMulIntegerProblem, type MatMulIntegerRequest, makeMatMulIntegerProblem } from './problem.ts';

export interface MatMulIntegerCase {
  readonly name: string;
  readonly problem: MatMulIntegerProblem;
}

function row(name: string, request: Partial<MatMulIntegerRequest>): MatMulIntegerCase {
  const problem = makeMatMulIntegerProblem({
    srcType: 'uint8',
    weightsType: 'int8',
    src: [7, 8],
    weights: [8, 12],
    srcZeroPointDims: [],
    weightsZeroPointDims: [],
    weightsConstant: true,
    ...request,
  });
  return { name, problem };
}

const BYTES: readonly ByteType[] = ['uint8', 'int8'];

export const MATMUL_INTEGER_CASES: readonly MatMulIntegerCase[] = [
  ...BYTES.flatMap((srcType) =>
    BYTES.map((weightsType) =>
      row(`${srcType} with ${weightsType}`, { srcType, weightsType, weightsZeroPointDims: [12] }),
    ),
  ),
  row('no zero points', { srcZeroPointDims: undefined, weightsZeroPointDims: undefined }),
  row('odd extents', { src: [5, 7], weights: [7, 3] }),
  row('a zero point a row and a column', { srcZeroPointDims: [7], weightsZeroPointDims: [12] }),
  row('a batch over one matrix', { src: [2, 3, 5, 8], weightsZeroPointDims: [1, 12] }),
  row('batches that broadcast', { src: [2, 1, 5, 7], weights: [3, 7, 3] }),
  row('zero points with batches', {
    src: [2, 5, 7],
    weights: [2, 7, 3],
    srcZeroPointDims: [2, 5, 1],
    weightsZeroPointDims: [2, 1, 3],
  }),
  row('a row times a matrix', { src: [8] }),
  row('a matrix times a column', { weights: [8] }),
  row('a row times a column', { src: [8], weights: [8] }),
  row('no terms', { src: [3, 0], weights: [0, 4] }),
  row('no rows', { src: [0, 8] }),
];
