import { describe, expect, it } from 'vitest';
import { scaledError } from './scaled-error.ts';

describe('scaledError', () => {
  it('is the largest difference over the largest expected value', () => {
    expect(scaledError([1, 2, -4.5], [1, 2.25, -4])).toBe(0.5 / 4);
  });

  it('is 0 for equal values, NaN and infinities in the same places included', () => {
    const values = [Number.NaN, Number.POSITIVE_INFINITY, 3];
    expect(scaledError(values, [...values])).toBe(0);
    expect(scaledError([0, 0], [0, -0])).toBe(0);
  });

  it('is infinite where only one side is a number', () => {
    expect(scaledError([Number.NaN, 1], [0, 1])).toBe(Number.POSITIVE_INFINITY);
    expect(scaledError([0, 1], [Number.POSITIVE_INFINITY, 1])).toBe(Number.POSITIVE_INFINITY);
    expect(scaledError([1e-9], [0])).toBe(Number.POSITIVE_INFINITY);
  });

  it('refuses different lengths', () => {
    expect(() => scaledError([1], [1, 2])).toThrow(/1 values/);
  });
});
