/** Gathers for tests: the axis first, last and between, indices of every rank, both widths of both. */
import { type GatherRowsProblem, makeGatherRowsProblem } from './problem.ts';

export interface GatherCase {
  readonly name: string;
  readonly srcDims: readonly number[];
  readonly axis: number;
  readonly indices: readonly number[];
  readonly indexDims: readonly number[];
}

export const GATHER_CASES: readonly GatherCase[] = [
  { name: 'rows of a table', srcDims: [11, 7], axis: 0, indices: [10, 0, 3, 3, -1, -11], indexDims: [2, 3] },
  { name: 'the last axis', srcDims: [5, 3, 7], axis: -1, indices: [6, -7, 2], indexDims: [3] },
  { name: 'an axis between', srcDims: [2, 5, 13], axis: 1, indices: [4, 0, -1, -5, 2, 2], indexDims: [1, 6] },
  { name: 'one index takes the axis away', srcDims: [3, 5], axis: 1, indices: [3], indexDims: [] },
  {
    name: 'indices out of range are clamped',
    srcDims: [5],
    axis: 0,
    indices: [5, 99, -6, -99],
    indexDims: [4],
  },
  { name: 'no indices', srcDims: [3, 5], axis: 0, indices: [], indexDims: [0] },
];

export function gatherCase(
  { srcDims, axis, indexDims }: GatherCase,
  element: 'u32' | 'vec2u',
  index: 'i32' | 'i64',
): GatherRowsProblem {
  return makeGatherRowsProblem({ srcDims, axis, indexDims, element, index });
}
