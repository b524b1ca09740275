/** Problems of local response normalisation that tests and benchmarks share; channels on both sides of a vec4. */
import { type LrnProblem, type LrnRequest, makeLrnProblem } from './problem.ts';

export interface LrnCase {
  readonly name: string;
  readonly problem: LrnProblem;
}

function rows(name: string, request: Partial<LrnRequest>): LrnCase[] {
  return (['nchw', 'nhwc4'] as const).map((layout) => ({
    name: `${name}, ${layout}`,
    problem: makeLrnProblem({ dims: [2, 7, 5, 3], size: 5, layout, ...request }),
  }));
}

export const LRN_CASES: readonly LrnCase[] = [
  ...rows('as in AlexNet', {}),
  ...rows('even size', { size: 4, alpha: 0.5 }),
  ...rows('size 1', { size: 1, alpha: 0.5 }),
  ...rows('size 2', { size: 2, alpha: 0.5, bias: 2 }),
  ...rows('wider than the channels', { size: 33, alpha: 3 }),
  ...rows('beta 1', { alpha: 2, beta: 1, bias: 0.5 }),
  ...rows('1-D', { dims: [1, 9, 13], alpha: 1 }),
  ...rows('three axes', { dims: [1, 5, 3, 2, 7], alpha: 1 }),
  ...[1, 2, 3, 4, 8, 33].flatMap((channels) =>
    rows(`${channels} channels`, { dims: [1, channels, 3, 5], size: 3, alpha: 1 }),
  ),
  ...rows('a window longer than a chain of 256', { dims: [1, 301, 1, 2], size: 521, alpha: 1 }),
  ...rows('empty batch', { dims: [0, 5, 3, 3] }),
  ...rows('no channels', { dims: [2, 0, 3, 3] }),
  { name: 'a matrix', problem: makeLrnProblem({ dims: [3, 11], size: 5, alpha: 1 }) },
];
