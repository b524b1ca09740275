/** A number rounded to float16 and back, ties to even; overflow is infinite. */
export function roundHalf(value: number): number {
  const size = Math.abs(value);
  if (!(size > 0) || size === Number.POSITIVE_INFINITY) return value;
  const exponent = Math.max(Math.floor(Math.log2(size)), -14);
  const step = 2 ** (exponent - 10);
  const low = Math.floor(size / step);
  const rest = size / step - low;
  const whole = rest > 0.5 || (rest === 0.5 && low % 2 === 1) ? low + 1 : low;
  const rounded = whole * step > 65504 ? Number.POSITIVE_INFINITY : whole * step;
  return value < 0 ? -rounded : rounded;
}
