/** Moving problems for tests: each with the source coordinate of a result coordinate, written out by hand. */
import { makePadProblem } from './pad.ts';
import { makeDepthToSpaceProblem, makeSpaceToDepthProblem, makeTransposeProblem } from './rearrange.ts';
import { makeExpandProblem, makeGatherProblem, makeTileProblem } from './repeat.ts';
import { makeSliceProblem } from './slice.ts';
import type { MoveProblem } from './view.ts';

export interface MoveCase {
  readonly name: string;
  readonly problem: MoveProblem;
  /** Extents the operator's definition gives. */
  readonly dims: readonly number[];
  /** Source coordinate of a result coordinate; undefined where the fill value stands. */
  readonly source: (at: readonly number[]) => readonly number[] | undefined;
}

const FILL = 0xffc12345;
const at = (coordinates: readonly number[], axis: number): number => coordinates[axis] ?? 0;

export const SLICE_CASES: readonly MoveCase[] = [
  {
    name: 'slice: two axes of three',
    problem: makeSliceProblem({ srcDims: [5, 7, 11], starts: [1, 2], ends: [4, 9], axes: [0, 2] }),
    dims: [3, 7, 7],
    source: ([a = 0, b = 0, c = 0]) => [a + 1, b, c + 2],
  },
  {
    name: 'slice: negative steps, ends beyond the range',
    problem: makeSliceProblem({
      srcDims: [5, 7],
      starts: [-1, 100],
      ends: [-100, 0],
      axes: [-2, -1],
      steps: [-2, -3],
    }),
    dims: [3, 2],
    source: ([a = 0, b = 0]) => [4 - 2 * a, 6 - 3 * b],
  },
  {
    name: 'slice: empty',
    problem: makeSliceProblem({ srcDims: [5, 7], starts: [3], ends: [3] }),
    dims: [0, 7],
    source: (coordinates) => coordinates,
  },
];

export const REARRANGE_CASES: readonly MoveCase[] = [
  {
    name: 'transpose: default reverses',
    problem: makeTransposeProblem([3, 5, 7]),
    dims: [7, 5, 3],
    source: ([a = 0, b = 0, c = 0]) => [c, b, a],
  },
  {
    name: 'transpose: rank 6',
    problem: makeTransposeProblem([2, 3, 1, 5, 2, 3], [5, 0, 3, 2, 1, 4]),
    dims: [3, 2, 5, 1, 3, 2],
    source: (c) => [at(c, 1), at(c, 4), at(c, 3), at(c, 2), at(c, 5), at(c, 0)],
  },
  {
    name: 'transpose: channels last',
    problem: makeTransposeProblem([2, 3, 7, 11], [0, 2, 3, 1]),
    dims: [2, 7, 11, 3],
    source: ([n = 0, y = 0, x = 0, c = 0]) => [n, c, y, x],
  },
  {
    name: 'depth to space: DCR',
    problem: makeDepthToSpaceProblem({ srcDims: [2, 12, 3, 5], block: 2, mode: 'DCR' }),
    dims: [2, 3, 6, 10],
    source: ([n = 0, c = 0, y = 0, x = 0]) => [n, ((y % 2) * 2 + (x % 2)) * 3 + c, y >> 1, x >> 1],
  },
  {
    name: 'depth to space: CRD',
    problem: makeDepthToSpaceProblem({ srcDims: [1, 12, 3, 5], block: 2, mode: 'CRD' }),
    dims: [1, 3, 6, 10],
    source: ([n = 0, c = 0, y = 0, x = 0]) => [n, c * 4 + (y % 2) * 2 + (x % 2), y >> 1, x >> 1],
  },
  {
    name: 'space to depth: CRD',
    problem: makeSpaceToDepthProblem({ srcDims: [2, 3, 4, 6], block: 2, mode: 'CRD' }),
    dims: [2, 12, 2, 3],
    source: ([n = 0, c = 0, y = 0, x = 0]) => [n, c >> 2, y * 2 + ((c >> 1) % 2), x * 2 + (c % 2)],
  },
  {
    name: 'space to depth: DCR',
    problem: makeSpaceToDepthProblem({ srcDims: [1, 3, 6, 9], block: 3, mode: 'DCR' }),
    dims: [1, 27, 2, 3],
    source: ([n = 0, c = 0, y = 0, x = 0]) => {
      const place = Math.floor(c / 3);
      return [n, c % 3, y * 3 + Math.floor(place / 3), x * 3 + (place % 3)];
    },
  },
];

export const REPEAT_CASES: readonly MoveCase[] = [
  {
    name: 'expand: both ways, new axes',
    problem: makeExpandProblem([3, 1, 5], [2, 1, 7, 1]),
    dims: [2, 3, 7, 5],
    source: ([, a = 0, , c = 0]) => [a, 0, c],
  },
  {
    name: 'tile',
    problem: makeTileProblem([2, 3, 5], [2, 1, 3]),
    dims: [4, 3, 15],
    source: ([a = 0, b = 0, c = 0]) => [a % 2, b, c % 5],
  },
  {
    name: 'gather: middle axis, indices of rank 2',
    problem: makeGatherProblem({
      srcDims: [2, 5, 7],
      axis: 1,
      indices: [4, 0, -1, -5, 2, 2],
      indexDims: [2, 3],
    }),
    dims: [2, 2, 3, 7],
    source: ([a = 0, i = 0, j = 0, c = 0]) => [a, [4, 0, 4, 0, 2, 2][i * 3 + j] ?? 0, c],
  },
  {
    name: 'gather: a scalar index takes the axis away',
    problem: makeGatherProblem({ srcDims: [3, 5], axis: -1, indices: [3], indexDims: [] }),
    dims: [3],
    source: ([a = 0]) => [a, 3],
  },
];

const inside = (coordinates: readonly number[], dims: readonly number[]): readonly number[] | undefined =>
  coordinates.every((c, axis) => c >= 0 && c < (dims[axis] ?? 0)) ? coordinates : undefined;

export const PAD_CASES: readonly MoveCase[] = [
  {
    name: 'pad: constant',
    problem: makePadProblem({
      srcDims: [2, 3, 5],
      before: [1, 0, 2],
      after: [0, 0, 3],
      mode: 'constant',
      fill: FILL,
    }),
    dims: [3, 3, 10],
    source: ([a = 0, b = 0, c = 0]) => inside([a - 1, b, c - 2], [2, 3, 5]),
  },
  {
    name: 'pad: negative pads crop',
    problem: makePadProblem({
      srcDims: [5, 7],
      before: [-1, 2],
      after: [-2, -3],
      mode: 'constant',
      fill: FILL,
    }),
    dims: [2, 6],
    source: ([a = 0, b = 0]) => inside([a + 1, b - 2], [5, 4]),
  },
  {
    name: 'pad: reflect, further than the extent',
    problem: makePadProblem({ srcDims: [3], before: [5], after: [4], mode: 'reflect' }),
    dims: [12],
    source: ([a = 0]) => [[1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2][a] ?? 0],
  },
  {
    name: 'pad: edge',
    problem: makePadProblem({ srcDims: [2, 3], before: [1, 2], after: [2, 0], mode: 'edge' }),
    dims: [5, 5],
    source: ([a = 0, b = 0]) => [Math.min(Math.max(a - 1, 0), 1), Math.max(b - 2, 0)],
  },
  {
    name: 'pad: wrap',
    problem: makePadProblem({ srcDims: [3, 2], before: [4, 0], after: [2, 3], mode: 'wrap' }),
    dims: [9, 5],
    source: ([a = 0, b = 0]) => [(a + 2) % 3, b % 2],
  },
];

export const MOVE_CASES: readonly MoveCase[] = [
  ...SLICE_CASES,
  ...REARRANGE_CASES,
  ...REPEAT_CASES,
  ...PAD_CASES,
];
