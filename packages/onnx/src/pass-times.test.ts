/** Spans and steps of timestamps: exact, rounded to a coarse clock, all equal, and backwards. */
import type { PassTime } from '@onegpu/core';
import { describe, expect, it } from 'vitest';
import { passMs, spanMs, timestampStepMs } from './pass-times.ts';

const passes = (...times: readonly (readonly [number, number])[]): PassTime[] =>
  times.map(([begin, end]) => ({ begin, end }));

describe('spanMs', () => {
  it('goes from the first begin to the last end, gaps and overlaps included', () => {
    expect(spanMs(passes([0, 1e6], [3e6, 5e6]))).toBe(5);
    expect(spanMs(passes([2e6, 9e6], [1e6, 4e6]))).toBe(8);
    expect(spanMs(passes([7, 7]))).toBe(0);
    expect(spanMs([])).toBe(0);
  });
});

describe('passMs', () => {
  it('is never negative', () => {
    expect(passMs({ begin: 5e5, end: 2e6 })).toBe(1.5);
    expect(passMs({ begin: 2e6, end: 5e5 })).toBe(0);
  });
});

describe('timestampStepMs', () => {
  it('finds the step of a coarse clock', () => {
    const step = 65536;
    const runs = [passes([0, 3 * step], [3 * step, 4 * step]), passes([0, 5 * step], [7 * step, 7 * step])];
    expect(timestampStepMs(runs)).toBe(0.065536);
  });

  it('counts what rounding to nanoseconds adds as no step', () => {
    expect(timestampStepMs([passes([0, 83], [84, 167])])).toBe(0.000083);
  });

  it('knows none where every timestamp is equal', () => {
    expect(timestampStepMs([passes([4, 4], [4, 4])])).toBeUndefined();
    expect(timestampStepMs([])).toBeUndefined();
  });
});
