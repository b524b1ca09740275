/** Pooling problems that tests and benchmarks share; prime extents, one feature varied a row. */
import { makePoolProblem, type PoolProblem, type PoolRequest } from './problem.ts';

export interface PoolCase {
  readonly name: string;
  readonly problem: PoolProblem;
}

function rows(name: string, request: Partial<Omit<PoolRequest, 'operation' | 'layout'>>): PoolCase[] {
  return (['max', 'average', 'lp'] as const).flatMap((operation) =>
    (['nchw', 'nhwc4'] as const).map((layout) => ({
      name: `${operation} ${name}, ${layout}`,
      problem: makePoolProblem({ operation, layout, dims: [2, 7, 13, 11], kernel: [3, 3], ...request }),
    })),
  );
}

function power(p: number, request: Partial<Omit<PoolRequest, 'operation' | 'layout'>> = {}): PoolCase[] {
  return (['nchw', 'nhwc4'] as const).map((layout) => ({
    name: `lp of ${p}, ${layout}`,
    problem: makePoolProblem({
      operation: 'lp',
      power: p,
      layout,
      dims: [2, 7, 13, 11],
      kernel: [3, 2],
      pads: [1, 1, 0, 1],
      ...request,
    }),
  }));
}

export const POOL_CASES: readonly PoolCase[] = [
  ...rows('plain 3x3', {}),
  ...rows('3x3 stride 2 pad 1, as in ResNet', { strides: [2, 2], pads: [1, 1, 1, 1] }),
  ...rows('2x2 stride 2', { kernel: [2, 2], strides: [2, 2] }),
  ...rows('2x2 stride 2 rounded up', { kernel: [2, 2], strides: [2, 2], ceilMode: true }),
  ...rows('a last window in the end padding is dropped', {
    kernel: [1, 1],
    strides: [2, 2],
    dims: [1, 3, 2, 2],
    ceilMode: true,
  }),
  ...rows('rounded up over padding', { strides: [3, 2], pads: [1, 0, 2, 1], ceilMode: true }),
  ...rows('a window larger than the picture, rounded up', {
    strides: [2, 3],
    dims: [1, 5, 2, 1],
    ceilMode: true,
  }),
  ...rows('padding counted', { pads: [1, 2, 0, 1], countIncludePad: true }),
  ...rows('padding counted, rounded up', {
    strides: [3, 3],
    pads: [1, 1, 1, 1],
    ceilMode: true,
    countIncludePad: true,
  }),
  ...rows('tall window', { kernel: [5, 1], strides: [1, 2] }),
  ...rows('dilated', { dilations: [2, 3], pads: [2, 1, 1, 3] }),
  ...rows('dilated, padding counted', { dilations: [3, 2], pads: [2, 2, 2, 2], countIncludePad: true }),
  ...rows('SAME_UPPER', { autoPad: 'SAME_UPPER', strides: [2, 3] }),
  ...rows('SAME_LOWER', { autoPad: 'SAME_LOWER', kernel: [2, 4], strides: [2, 3] }),
  ...rows('VALID', { autoPad: 'VALID', strides: [2, 2] }),
  ...rows('1-D', { dims: [2, 5, 37], kernel: [4], strides: [3], pads: [2, 1] }),
  ...rows('a window of padding alone', { kernel: [2, 2], pads: [3, 3, 3, 3], dims: [1, 3, 2, 3] }),
  ...rows('whole map', { kernel: [13, 11] }),
  ...rows('one channel', { dims: [1, 1, 7, 11] }),
  ...rows('eight channels', { dims: [1, 8, 7, 11] }),
  ...rows('rows longer than a chain of 256', { dims: [1, 1, 3, 263], kernel: [2, 259] }),
  ...rows('more rows than a chain of 256', { dims: [1, 1, 521, 2], kernel: [515, 2] }),
  ...rows('a source without pixels, padding alone', {
    kernel: [2, 1],
    pads: [1, 1, 1, 1],
    dims: [1, 5, 0, 3],
  }),
  ...rows('padding alone, counted', {
    kernel: [2, 1],
    pads: [1, 1, 1, 1],
    dims: [1, 5, 0, 3],
    countIncludePad: true,
  }),
  ...rows('3-D', { dims: [2, 5, 7, 5, 6], kernel: [3, 2, 3] }),
  ...rows('3-D, strides, lopsided pads, dilated', {
    dims: [1, 3, 9, 7, 8],
    kernel: [2, 3, 2],
    strides: [2, 1, 3],
    pads: [1, 0, 2, 0, 2, 1],
    dilations: [3, 2, 1],
  }),
  ...rows('3-D, rounded up, padding counted', {
    dims: [1, 6, 5, 4, 7],
    kernel: [2, 3, 2],
    strides: [2, 2, 2],
    pads: [1, 1, 1, 1, 1, 1],
    ceilMode: true,
    countIncludePad: true,
  }),
  ...rows('3-D SAME_LOWER', {
    dims: [1, 1, 5, 4, 7],
    kernel: [2, 3, 2],
    strides: [2, 2, 2],
    autoPad: 'SAME_LOWER',
  }),
  ...rows('3-D whole map', { dims: [2, 5, 3, 4, 5], kernel: [3, 4, 5] }),
  ...rows('3-D, deeper than a chain of 256', { dims: [1, 1, 263, 1, 2], kernel: [259, 1, 1] }),
  ...rows('empty batch', { dims: [0, 7, 5, 5] }),
  ...rows('no channels', { dims: [2, 0, 5, 5] }),
  ...[1, 3, 4, 5, 1.5, 17].flatMap((p) => power(p)),
];
