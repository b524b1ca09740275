/** IEEE 754 binary16 to numbers and back, for float16 tensors, which hold raw bits. */

/** The value of 16 bits, exact. */
export function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** The nearest half, ties to the even one; beyond the range infinity. */
export function numberToHalf(value: number): number {
  if (Number.isNaN(value)) return 0x7e00;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size >= 65520) return sign | 0x7c00;
  const exponent = Math.max(-14, Math.floor(Math.log2(size)));
  const unit = 2 ** ((size === 0 ? -14 : exponent) - 10);
  const scaled = size / unit;
  const below = Math.floor(scaled);
  const part = scaled - below;
  const whole = part > 0.5 || (part === 0.5 && below % 2 === 1) ? below + 1 : below;
  // A fraction that rounds up to the next power of two carries into the exponent by itself.
  return sign | (whole < 1024 ? whole : (exponent + 14) * 1024 + whole);
}
