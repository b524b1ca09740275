/** Unpooling problems that tests and benchmarks share; one feature varied a row. */
import { type MaxUnpoolProblem, type MaxUnpoolRequest, makeMaxUnpoolProblem } from './problem.ts';

export interface MaxUnpoolCase {
  readonly name: string;
  readonly problem: MaxUnpoolProblem;
}

function row(name: string, request: Partial<MaxUnpoolRequest>): MaxUnpoolCase {
  const dims = request.dims ?? [2, 3, 5, 7];
  return {
    name,
    problem: makeMaxUnpoolProblem({ dims, indicesDims: dims, kernel: [2, 2], strides: [2, 2], ...request }),
  };
}

export const MAX_UNPOOL_CASES: readonly MaxUnpoolCase[] = [
  row('2x2 stride 2', {}),
  row('overlapping windows', { kernel: [3, 3], strides: [1, 1] }),
  row('3x2 with pads', { kernel: [3, 2], strides: [2, 1], pads: [1, 0, 0, 1] }),
  row('a larger output', { outputShape: [2, 3, 11, 17] }),
  row('a smaller output', { outputShape: [2, 3, 9, 11] }),
  row('1-D', { dims: [2, 3, 13], kernel: [3], strides: [3] }),
  row('3-D', { dims: [1, 2, 3, 4, 5], kernel: [2, 2, 3], strides: [2, 2, 2] }),
  row('3-D, a larger output', {
    dims: [1, 2, 3, 2, 5],
    kernel: [2, 2, 2],
    strides: [2, 2, 2],
    outputShape: [1, 2, 7, 4, 11],
  }),
  row('empty batch', { dims: [0, 3, 5, 7] }),
  row('no pixels in', { dims: [1, 3, 0, 7], outputShape: [1, 3, 2, 5] }),
  row('no pixels out', { outputShape: [2, 3, 0, 5] }),
];
