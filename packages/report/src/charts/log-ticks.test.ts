/** Round numbers inside the axis, fewer where there is less room. */
import { expect, it } from 'vitest';
import { logTicks } from './log-ticks.ts';

it('fits the room', () => {
  expect(logTicks(0.8, 25, 12)).toEqual([1, 2, 5, 10, 20]);
  expect(logTicks(0.8, 2500, 8)).toEqual([1, 3, 10, 30, 100, 300, 1000]);
  expect(logTicks(0.008, 2500, 6)).toEqual([0.01, 0.1, 1, 10, 100, 1000]);
  expect(logTicks(1e-4, 1e8, 5)).toEqual([1e-3, 1, 1e3, 1e6]);
});
