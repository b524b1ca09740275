/**
 * The float32 quotient rounded to nearest, ties to even, by long division of the significands: WGSL's own `/` may be
 * 2.5 units in the last place off, which would move values across the half-way points of a quantisation. Numbers come
 * and go as bits, so that denormals, infinities and NaN are what IEEE 754 says.
 *
 * With the dividend's significand doubled where it is the smaller one the quotient lies in [1, 2): one whole digit and
 * three of 8 bits make 24 bits and the one to round by, the remainder says whether anything is left behind them.
 */

/** `fn quotient_bits(x: u32, y: u32) -> u32` over the bits of float32 numbers; NaN is 0x7fc00000. */
export const QUOTIENT_BITS = `
fn quotient_bits(x: u32, y: u32) -> u32 {
  let a = x & 0x7fffffffu;
  let b = y & 0x7fffffffu;
  let sign = (x ^ y) & 0x80000000u;
  if (a > 0x7f800000u || b > 0x7f800000u || (a == b && (a == 0u || a == 0x7f800000u))) { return 0x7fc00000u; }
  if (a == 0x7f800000u || b == 0u) { return sign | 0x7f800000u; }
  if (a == 0u || b == 0x7f800000u) { return sign; }
  let a_raw = (a & 0x007fffffu) | select(0u, 0x00800000u, a >= 0x00800000u);
  let b_raw = (b & 0x007fffffu) | select(0u, 0x00800000u, b >= 0x00800000u);
  let a_shift = countLeadingZeros(a_raw) - 8u;
  let b_shift = countLeadingZeros(b_raw) - 8u;
  let divisor = b_raw << b_shift;
  let significand = a_raw << a_shift;
  let smaller = select(0u, 1u, significand < divisor);
  var quotient = 1u;
  var rest = (significand << smaller) - divisor;
  for (var digit = 0u; digit < 3u; digit++) {
    let dividend = rest << 8u;
    let part = dividend / divisor;
    quotient = (quotient << 8u) | part;
    rest = dividend - part * divisor;
  }
  let a_exponent = i32(max(a >> 23u, 1u)) - i32(a_shift + smaller);
  let b_exponent = i32(max(b >> 23u, 1u)) - i32(b_shift);
  let exponent = a_exponent - b_exponent + 127;
  if (exponent >= 255) { return sign | 0x7f800000u; }
  // Below the normal numbers bits leave at the right.
  let cut = u32(clamp(1 - exponent, 0, 26));
  let kept = quotient >> cut;
  let left = rest != 0u || (kept << cut) != quotient;
  let half = kept >> 1u;
  let up = (kept & 1u) & select(half & 1u, 1u, left);
  return sign | ((u32(max(exponent - 1, 0)) << 23u) + half + up);
}`;

/** `fn half_rounded(bits: u32) -> u32`: the bits of a float32 number rounded to float16, ties to even, and back. */
export const HALF_ROUNDED = `
fn half_rounded(bits: u32) -> u32 {
  let size = bits & 0x7fffffffu;
  if (size >= 0x7f800000u) { return bits; }
  let normal = (size + 0xfffu + ((size >> 13u) & 1u)) & 0xffffe000u;
  let whole = round(min(bitcast<f32>(size), 1.0f) * 16777216.0f);
  let rounded = select(normal, bitcast<u32>(whole * 5.9604644775390625e-8f), size < 0x38800000u);
  return (bits & 0x80000000u) | select(rounded, 0x7f800000u, rounded >= 0x47800000u);
}`;
