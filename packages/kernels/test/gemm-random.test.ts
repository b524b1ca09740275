/** Random matrix products against float64, every algorithm: small integers bit for bit, then random floats. */
import fc from 'fast-check';
import { type GemmProblem, makeGemmProblem, makeMatMulProblem } from '../src/gemm/problem.ts';
import { GEMM_ALGORITHMS } from '../src/gemm/select.ts';
import { elementCount } from '../src/shared/layout.ts';
import { checkGemm } from './check-gemm.ts';
import { extent, MOST_OUTPUTS, terms } from './random-extents.ts';
import { describeSweep, FLOAT_STORAGES } from './sweep.ts';

const shared = {
  rows: extent,
  columns: extent,
  inner: terms,
  weightsConstant: fc.boolean(),
  residual: fc.boolean(),
  relu: fc.boolean(),
};

const gemms: fc.Arbitrary<GemmProblem> = fc
  .record({
    ...shared,
    transA: fc.boolean(),
    transB: fc.boolean(),
    alpha: fc.constantFrom(1, 0.5, -2),
    beta: fc.constantFrom(1, 0, 0.5),
    addend: fc.constantFrom('none', 'scalar', 'row', 'column', 'full'),
  })
  .map(({ rows, columns, inner, addend, relu, ...rest }) => {
    const biasDims = {
      none: undefined,
      scalar: [],
      row: [columns],
      column: [rows, 1],
      full: [rows, columns],
    }[addend];
    return makeGemmProblem({
      ...rest,
      srcDims: rest.transA ? [inner, rows] : [rows, inner],
      weightsDims: rest.transB ? [columns, inner] : [inner, columns],
      biasDims,
      activation: relu ? [{ kind: 'relu' }] : [],
    });
  });

const products: fc.Arbitrary<GemmProblem> = fc
  .record({
    ...shared,
    srcBatch: fc.constantFrom([], [2], [3, 1], [1, 2]),
    weightsBatch: fc.constantFrom([], [2], [1], [3, 2]),
    bias: fc.boolean(),
  })
  .map(({ rows, columns, inner, relu, srcBatch, weightsBatch, ...rest }) =>
    makeMatMulProblem({
      ...rest,
      srcDims: [...srcBatch, rows, inner],
      weightsDims: [...weightsBatch, inner, columns],
      activation: relu ? [{ kind: 'relu' }] : [],
    }),
  );

const problems = fc.oneof(gemms, products).filter(({ dstDims }) => elementCount(dstDims) <= MOST_OUTPUTS);

describeSweep({
  ...{ name: 'gemm', algorithms: GEMM_ALGORITHMS, problems, storages: FLOAT_STORAGES },
  ...{ runs: 20, seed: 13, check: checkGemm },
});
