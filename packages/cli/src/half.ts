/** IEEE 754 binary16 as raw bits, to and from numbers; rounds to nearest, ties to even. */

/** The bits of the half nearest to `value`; too large becomes infinity. */
export function floatToHalf(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  if (size < 2 ** -14) return sign | roundToEven(size * 2 ** 24);
  const exponent = Math.min(15, Math.floor(Math.log2(size)));
  // Log2 may be off by one just under a power of two; rounding of the mantissa absorbs it.
  return sign | (((exponent + 14) << 10) + roundToEven(size * 2 ** (10 - exponent)));
}

/** The number that the bits of a half stand for. */
export function halfToFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const mantissa = bits & 1023;
  if (exponent === 31) return mantissa === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * mantissa * 2 ** -24 : sign * (1024 + mantissa) * 2 ** (exponent - 25);
}

function roundToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}
