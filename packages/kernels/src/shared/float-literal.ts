/** Float32 constants, and polynomials of them, as WGSL text. */

const LARGEST = 3.4028234663852886e38;

/** A float32 constant as WGSL text, exact; infinities become the largest finite value. NaN is a RangeError. */
export function floatLiteral(value: number): string {
  if (Number.isNaN(value)) throw new RangeError('a WGSL constant cannot be NaN');
  const rounded = Math.fround(Math.min(Math.max(value, -LARGEST), LARGEST));
  const text = Object.is(rounded, -0) ? '-0' : String(rounded);
  return /[.e]/.test(text) ? `${text}f` : `${text}.0f`;
}

/** Polynomial in `variable`, coefficients from the constant up, as nested multiply-adds. */
export function horner(variable: string, coefficients: readonly number[]): string {
  return coefficients
    .map(floatLiteral)
    .reduceRight((sum, coefficient) => `fma(${sum}, ${variable}, ${coefficient})`);
}
