import { expect, it } from 'vitest';
import { timedSegments } from './timed-segments.ts';

it('one run times every dispatch alone', () => {
  expect(timedSegments([0, 0, 1], 1)).toEqual([{ ends: [1, 2, 3], passOf: [0, 1, 2] }]);
});

it('several runs time each dispatch once, and take those between together', () => {
  expect(timedSegments([0, 1, 1, 2, 3], 2)).toEqual([
    { ends: [1, 3, 4, 5], passOf: [0, undefined, undefined, 2, undefined] },
    { ends: [1, 2, 3, 4, 5], passOf: [undefined, 1, 2, undefined, 4] },
  ]);
  const runs = timedSegments([0, 1, 2, 3, 4, 5, 6, 7, 8], 4);
  expect(runs.map(({ ends }) => ends.length)).toEqual([5, 5, 5, 5]);
  for (let position = 0; position < 9; position++) {
    expect(runs.filter(({ passOf }) => passOf[position] !== undefined)).toHaveLength(1);
  }
});

it('more runs than dispatches', () => {
  expect(timedSegments([0], 3).map(({ passOf }) => passOf)).toEqual([[0], [undefined], [undefined]]);
});
