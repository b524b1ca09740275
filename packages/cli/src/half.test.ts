/** Halves: every bit pattern survives, and rounding is to nearest, ties to even. */
import { describe, expect, it } from 'vitest';
import { floatToHalf, halfToFloat } from './half.ts';

describe('half', () => {
  it('keeps every finite half and both infinities', () => {
    for (let bits = 0; bits < 0x10000; bits++) {
      const value = halfToFloat(bits);
      if (!Number.isNaN(value)) expect(floatToHalf(value)).toBe(bits);
    }
  });

  it('rounds to nearest, ties to even', () => {
    expect(halfToFloat(floatToHalf(1 + 2 ** -11))).toBe(1);
    expect(halfToFloat(floatToHalf(1 + 3 * 2 ** -11))).toBe(1 + 2 ** -9);
    expect(halfToFloat(floatToHalf(2 - 2 ** -20))).toBe(2);
    expect(halfToFloat(floatToHalf(65519))).toBe(65504);
    expect(halfToFloat(floatToHalf(65520))).toBe(Number.POSITIVE_INFINITY);
    expect(halfToFloat(floatToHalf(2 ** -25))).toBe(0);
    expect(halfToFloat(floatToHalf(3 * 2 ** -26))).toBe(2 ** -24);
    expect(halfToFloat(floatToHalf(Number.NaN))).toBeNaN();
  });
});
