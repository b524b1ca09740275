/** Softmax problems that tests and benchmarks share; prime extents, both sides of a block and a slice. */
import { makeSoftmaxProblem, type SoftmaxProblem, type SoftmaxRequest } from './problem.ts';

export interface SoftmaxCase {
  readonly name: string;
  readonly problem: SoftmaxProblem;
}

function rows(name: string, request: Partial<SoftmaxRequest>): SoftmaxCase[] {
  return (['softmax', 'log-softmax'] as const).map((operation) => ({
    name: `${operation} ${name}`,
    problem: makeSoftmaxProblem({ operation, dims: [3, 5, 7], axis: -1, extends: 'along', ...request }),
  }));
}

export const SOFTMAX_CASES: readonly SoftmaxCase[] = [
  ...rows('last axis', {}),
  ...rows('middle axis', { axis: 1 }),
  ...rows('first axis', { axis: -3 }),
  ...rows('all from the middle axis on', { axis: 1, extends: 'from' }),
  ...rows('rows of one, axis = rank', { axis: 3, extends: 'from' }),
  ...rows('1000 classes', { dims: [2, 1000] }),
  ...[1, 15, 16, 17, 255, 256, 257].flatMap((extent) => rows(`extent ${extent}`, { dims: [3, extent] })),
  ...rows('classes of a map', { dims: [1, 21, 13, 11], axis: 1 }),
  ...rows('empty', { dims: [0, 5] }),
  ...rows('over nothing', { dims: [3, 0] }),
];
