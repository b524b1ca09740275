/** Reductions that tests and benchmarks share; prime extents, both sides of a block of 16 and a slice of 256. */
import { makeReduceProblem, type ReduceProblem, type ReduceRequest } from './problem.ts';

export interface ReduceCase {
  readonly name: string;
  readonly problem: ReduceProblem;
}

function row(name: string, request: Partial<ReduceRequest>): ReduceCase {
  return {
    name,
    problem: makeReduceProblem({ operation: 'sum', dims: [3, 5, 7], axes: [2], keepDims: true, ...request }),
  };
}

const EXTENTS = [1, 15, 16, 17, 255, 256, 257, 521];

export const REDUCE_CASES: readonly ReduceCase[] = [
  row('last axis', {}),
  row('first axis', { axes: [0] }),
  row('middle axis', { axes: [1] }),
  row('negative axis', { axes: [-2], keepDims: false }),
  row('all axes', { axes: [] }),
  row('all axes of a scalar', { dims: [], axes: [] }),
  row('two neighbours', { dims: [2, 3, 7, 11], axes: [2, 3] }),
  row('first and last, dropped', { dims: [3, 5, 7], axes: [0, 2], keepDims: false }),
  row('first and last with a 1 between', { dims: [3, 1, 7], axes: [0, 2] }),
  row('three groups', { dims: [3, 2, 5, 3, 7], axes: [0, 2, 4] }),
  ...EXTENTS.map((extent) => row(`extent ${extent}`, { dims: [3, extent], axes: [1] })),
  ...EXTENTS.map((extent) => row(`extent ${extent} in front`, { dims: [extent, 3], axes: [0] })),
  row('three passes', { dims: [65537 + 256], axes: [0] }),
  row('empty result', { dims: [3, 0, 7], axes: [0] }),
  row('over nothing', { dims: [3, 0, 7], axes: [1] }),
  row('mean', { operation: 'mean', dims: [2, 3, 13, 9], axes: [2, 3] }),
  row('mean of groups apart', { operation: 'mean', dims: [3, 5, 7], axes: [0, 2] }),
  row('mean over nothing', { operation: 'mean', dims: [2, 0], axes: [1] }),
  row('prod', { operation: 'prod', dims: [3, 7], axes: [1] }),
  row('prod over nothing', { operation: 'prod', dims: [2, 0], axes: [1] }),
  row('l1', { operation: 'l1', dims: [5, 37], axes: [1] }),
  row('l2', { operation: 'l2', dims: [5, 37], axes: [0] }),
  row('l2 of groups apart', { operation: 'l2', dims: [3, 5, 7], axes: [0, 2] }),
  row('l2 in passes', { operation: 'l2', dims: [2, 521, 3], axes: [1] }),
  row('lp of 3 in passes', { operation: 'lp', power: 3, dims: [2, 521, 3], axes: [1] }),
  ...[1, 2, 3, 2.5].map((power) =>
    row(`lp of ${power}`, { operation: 'lp', power, dims: [5, 37], axes: [1] }),
  ),
  row('sum-square', { operation: 'sum-square', dims: [5, 300], axes: [1] }),
  row('log-sum', { operation: 'log-sum', dims: [5, 37], axes: [1] }),
  row('log-sum over nothing', { operation: 'log-sum', dims: [2, 0], axes: [1] }),
  row('log-sum-exp', { operation: 'log-sum-exp', dims: [5, 37], axes: [1] }),
  row('log-sum-exp in passes', { operation: 'log-sum-exp', dims: [2, 521, 3], axes: [1] }),
  row('log-sum-exp of groups apart', { operation: 'log-sum-exp', dims: [3, 5, 7], axes: [0, 2] }),
  row('log-sum-exp over nothing', { operation: 'log-sum-exp', dims: [2, 0], axes: [1] }),
  row('max', { operation: 'max', dims: [5, 521], axes: [1] }),
  row('max over nothing', { operation: 'max', dims: [2, 0], axes: [1] }),
  row('min', { operation: 'min', dims: [3, 5, 7], axes: [0, 2] }),
  row('min over nothing', { operation: 'min', dims: [2, 0], axes: [1] }),
  ...(['sum', 'mean', 'max', 'min', 'l1', 'l2', 'lp', 'pool-max'] as const).flatMap((operation) => [
    row(`${operation} channels last`, { operation, dims: [2, 7, 13, 9], axes: [2, 3], layout: 'nhwc4' }),
    row(`${operation} channels last, 1-D`, { operation, dims: [1, 8, 259], axes: [2], layout: 'nhwc4' }),
    row(`${operation} channels last over nothing`, {
      operation,
      dims: [2, 5, 0, 3],
      axes: [2, 3],
      layout: 'nhwc4',
    }),
  ]),
];
