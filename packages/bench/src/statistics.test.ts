import { describe, expect, it } from 'vitest';
import { summarizeTimings } from './statistics.ts';

describe('summarizeTimings', () => {
  it('gives median, extremes and the distance of the quartiles', () => {
    expect(summarizeTimings([5, 1, 4, 2, 3])).toEqual({
      medianMs: 3,
      minMs: 1,
      maxMs: 5,
      spread: 2 / 3,
      runs: 5,
    });
  });

  it('takes the middle between the two middle samples', () => {
    expect(summarizeTimings([4, 1, 2, 10]).medianMs).toBe(3);
  });

  it('takes a single sample and samples of zero', () => {
    expect(summarizeTimings([7])).toEqual({ medianMs: 7, minMs: 7, maxMs: 7, spread: 0, runs: 1 });
    expect(summarizeTimings([0, 0]).spread).toBe(0);
  });

  it('refuses no samples', () => {
    expect(() => summarizeTimings([])).toThrow(RangeError);
  });
});
