/** Float32 constants as WGSL text. */

const LARGEST = 3.4028234663852886e38;

/** A float32 constant as WGSL text, exact; infinities become the largest finite value. NaN is a RangeError. */
export function floatLiteral(value: number): string {
  if (Number.isNaN(value)) throw new RangeError('a WGSL constant cannot be NaN');
  const rounded = Math.fround(Math.min(Math.max(value, -LARGEST), LARGEST));
  const text = Object.is(rounded, -0) ? '-0' : String(rounded);
  return /[.e]/.test(text) ? `${text}f` : `${text}.0f`;
}
