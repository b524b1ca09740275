import { describe, expect, it } from 'vitest';
import { expectEqual, expectExact, expectWithin, scaledError, sumTolerance } from '../src/index.ts';

describe('comparers', () => {
  it('names the coordinates of the worst element', () => {
    expect(() => expectWithin([1, 2, 3, 9], [1, 2, 3, 4], 1e-3, [2, 2])).toThrow('at [1, 1] of [2, 2]');
  });

  it('tells zeros of different sign apart only when asked to', () => {
    expect(() => expectExact([-0], [0], [1])).toThrow('not equal');
    expectEqual([-0], [0], [1]);
  });

  it('treats NaN as equal to NaN and unequal to numbers', () => {
    expectExact([Number.NaN], [Number.NaN], [1]);
    expect(scaledError([Number.NaN, 1], [1, 1])).toBe(Number.POSITIVE_INFINITY);
    expect(scaledError([Number.POSITIVE_INFINITY], [Number.POSITIVE_INFINITY])).toBe(0);
  });

  it('refuses different lengths', () => {
    expect(() => expectEqual([1], [1, 2], [2])).toThrow('lengths differ');
  });

  it('grants long sums a little more than short ones, under 1e-6 up to 4608 terms', () => {
    expect(sumTolerance({ terms: 1 })).toBeLessThan(sumTolerance({ terms: 4608 }));
    expect(sumTolerance({ terms: 4608 })).toBeLessThan(1.2e-6);
  });
});
