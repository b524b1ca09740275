/** Shapes that tests and benchmarks share: one feature varied a row, both sides of tile edges and of blocks. */
import { type GemmProblem, makeGemmProblem, makeMatMulProblem } from './problem.ts';

export interface GemmCase {
  readonly name: string;
  readonly problem: GemmProblem;
}

const RELU = [{ kind: 'relu' }] as const;

export const GEMM_CASES: readonly GemmCase[] = [
  {
    name: 'fully connected, one row, constant weights [n, k]',
    problem: makeGemmProblem({
      srcDims: [1, 96],
      weightsDims: [40, 96],
      biasDims: [40],
      transB: true,
      weightsConstant: true,
    }),
  },
  {
    name: 'one row, odd extents, constant weights',
    problem: makeGemmProblem({
      srcDims: [1, 37],
      weightsDims: [37, 19],
      biasDims: [19],
      weightsConstant: true,
    }),
  },
  {
    name: 'several blocks of terms, ragged',
    problem: makeGemmProblem({
      srcDims: [3, 1034],
      weightsDims: [1034, 8],
      weightsConstant: true,
      activation: RELU,
    }),
  },
  {
    name: 'several blocks of terms, extents as parameters',
    problem: makeGemmProblem({ srcDims: [3, 517], weightsDims: [8, 517], transB: true }),
  },
  {
    name: 'tile edges, 65 x 66',
    problem: makeGemmProblem({
      srcDims: [65, 17],
      weightsDims: [17, 66],
      weightsConstant: true,
      biasDims: [1, 66],
    }),
  },
  {
    name: 'whole tiles, 64 x 64 x 32',
    problem: makeGemmProblem({ srcDims: [64, 32], weightsDims: [32, 64], biasDims: [64], residual: true }),
  },
  {
    name: 'transA, column addend, alpha and beta',
    problem: makeGemmProblem({
      srcDims: [13, 7],
      weightsDims: [13, 11],
      biasDims: [7, 1],
      transA: true,
      alpha: 0.5,
      beta: 2,
    }),
  },
  {
    name: 'transA and transB, full addend, residual and activation',
    problem: makeGemmProblem({
      srcDims: [12, 5],
      weightsDims: [8, 12],
      biasDims: [5, 8],
      transA: true,
      transB: true,
      beta: -1,
      residual: true,
      activation: RELU,
    }),
  },
  {
    name: 'scalar addend',
    problem: makeGemmProblem({ srcDims: [5, 8], weightsDims: [8, 12], biasDims: [], alpha: 2 }),
  },
  {
    name: 'beta of zero leaves the addend out',
    problem: makeGemmProblem({ srcDims: [5, 8], weightsDims: [8, 3], biasDims: [3], beta: 0 }),
  },
  {
    name: 'no terms at all: the addend alone',
    problem: makeGemmProblem({ srcDims: [2, 0], weightsDims: [0, 8], biasDims: [8] }),
  },
  { name: 'no rows', problem: makeGemmProblem({ srcDims: [0, 4], weightsDims: [4, 8] }) },
  { name: 'vector times vector', problem: makeMatMulProblem({ srcDims: [23], weightsDims: [23] }) },
  { name: 'vector times matrices', problem: makeMatMulProblem({ srcDims: [5], weightsDims: [3, 5, 7] }) },
  { name: 'matrices times vector', problem: makeMatMulProblem({ srcDims: [2, 3, 8], weightsDims: [8] }) },
  {
    name: 'one matrix of constant weights under a batch',
    problem: makeMatMulProblem({
      srcDims: [2, 3, 16],
      weightsDims: [16, 20],
      weightsConstant: true,
      bias: true,
    }),
  },
  {
    name: 'batches that broadcast both ways',
    problem: makeMatMulProblem({ srcDims: [3, 1, 5, 8], weightsDims: [2, 8, 4], activation: RELU }),
  },
  {
    name: 'batches of constant weights, odd extents',
    problem: makeMatMulProblem({ srcDims: [2, 5, 7], weightsDims: [2, 7, 6], weightsConstant: true }),
  },
  {
    name: 'batches that broadcast over an inner axis',
    problem: makeMatMulProblem({ srcDims: [2, 3, 1, 3, 4], weightsDims: [2, 1, 2, 4, 5] }),
  },
  { name: 'an empty batch', problem: makeMatMulProblem({ srcDims: [0, 3, 4], weightsDims: [4, 5] }) },
];
