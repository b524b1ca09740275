import { describe, expect, it } from 'vitest';
import { halfToNumber, numberToHalf } from '../src/index.ts';

describe('half', () => {
  it('gives every finite half and both infinities back', () => {
    for (let bits = 0; bits < 0x10000; bits++) {
      if ((bits & 0x7c00) === 0x7c00 && (bits & 0x3ff) !== 0) continue;
      expect(numberToHalf(halfToNumber(bits))).toBe(bits);
    }
  });

  it('rounds to the nearest, ties to even', () => {
    expect(halfToNumber(numberToHalf(1 + 2 ** -11))).toBe(1);
    expect(halfToNumber(numberToHalf(1 + 3 * 2 ** -11))).toBe(1 + 2 ** -9);
    expect(halfToNumber(numberToHalf(2 - 2 ** -12))).toBe(2);
    expect(halfToNumber(numberToHalf(2 ** -25))).toBe(0);
    expect(halfToNumber(numberToHalf(1.5 * 2 ** -25))).toBe(2 ** -24);
    expect(halfToNumber(numberToHalf(65519))).toBe(65504);
    expect(halfToNumber(numberToHalf(65520))).toBe(Number.POSITIVE_INFINITY);
    expect(halfToNumber(numberToHalf(Number.NaN))).toBeNaN();
  });
});
