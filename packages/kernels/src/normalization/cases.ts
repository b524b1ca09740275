/** Normalisation problems that tests and benchmarks share. */
import {
  type BatchNormProblem,
  makeBatchNormProblem,
  makeInstanceNormProblem,
  makeLayerNormProblem,
  type RowNormProblem,
} from './problem.ts';

export interface BatchNormCase {
  readonly name: string;
  readonly problem: BatchNormProblem;
}

export interface RowNormCase {
  readonly name: string;
  readonly problem: RowNormProblem;
}

const EPSILON = 1e-5;

export const BATCH_NORM_CASES: readonly BatchNormCase[] = [
  ...(['nchw', 'nhwc4'] as const).flatMap((layout) =>
    [
      [2, 7, 13, 11],
      [1, 8, 5, 3],
      [3, 1, 17],
      [0, 5, 3, 3],
      [2, 65, 3, 2],
      [2, 5, 0, 3],
    ].map((dims) => ({
      name: `[${dims.join(', ')}], ${layout}`,
      problem: makeBatchNormProblem({ dims, epsilon: EPSILON, layout }),
    })),
  ),
  { name: 'a matrix, nchw', problem: makeBatchNormProblem({ dims: [3, 5], epsilon: EPSILON }) },
];

function layer(dims: readonly number[], axis: number, bias = true): RowNormProblem {
  const extent = dims.slice(axis < 0 ? axis + dims.length : axis).reduce((value, next) => value * next, 1);
  return makeLayerNormProblem({ dims, axis, scaleElements: extent, bias, epsilon: EPSILON });
}

export const ROW_NORM_CASES: readonly RowNormCase[] = [
  { name: 'layer, last axis', problem: layer([3, 5, 37], -1) },
  { name: 'layer, two axes', problem: layer([3, 5, 37], 1) },
  { name: 'layer, without bias', problem: layer([3, 17], 1, false) },
  { name: 'layer, in passes', problem: layer([2, 768], -1) },
  { name: 'layer, no rows', problem: layer([0, 7], 1) },
  { name: 'instance', problem: makeInstanceNormProblem([2, 5, 7, 11], EPSILON) },
  { name: 'instance, in passes', problem: makeInstanceNormProblem([1, 3, 23, 29], EPSILON) },
  { name: 'instance, 1-D', problem: makeInstanceNormProblem([2, 3, 13], EPSILON) },
];
