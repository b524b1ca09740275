/**
 * Functions of two numbers in WGSL, accurate like those of `math.wgsl.ts`: pow(x, y) = exp(y log x) with log x
 * as a sum of two floats of which the first has 12 bits, so that its product with the upper half of y is exact;
 * and the remainder with the sign of the dividend, exact, by long division of the significands; and the one with
 * the sign of the divisor.
 */
import { horner } from './float-literal.ts';

const LOG_TAIL = [0.6666666, 0.40000337, 0.28537238, 0.23583572];

export const POWER = {
  // log(x) for finite x > 0, upper part and rest. Sums of inexact products are fma here and in m_pow, so that all
  // callers on a device get the same bits: a compiler that contracts has nothing left to choose.
  m_log_parts: {
    uses: ['m_square', 'm_upper'],
    wgsl: `fn m_log_parts(x: f32) -> vec2f {
  let bits = bitcast<u32>(x);
  let tiny = bits < 0x00800000u;
  let shifted = select(bits, bitcast<u32>(f32(bits)), tiny) + 0x004afb0du;
  let e = f32(i32(shifted >> 23u) - select(127, 276, tiny));
  let f = bitcast<f32>((shifted & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
  let square = 0.5f * m_square(f);
  let h = square.x + square.y;
  let s = f / (f + 2.0f);
  let z = s * s;
  let tail = fma(z, ${horner('z', LOG_TAIL)}, h);
  let whole = e * 0.693145751953125f;
  let upper = m_upper(whole + (f - fma(-s, tail, h)));
  let rest = (((whole - upper) + f) - square.x) + fma(s, tail, -square.y);
  return vec2f(upper, fma(e, 1.4286068e-6f, rest));
}`,
  },
  m_pow: {
    uses: ['m_log_parts', 'm_exp_parts', 'm_upper', 'm_from_bits'],
    wgsl: `fn m_pow(x: f32, y: f32) -> f32 {
  let a = abs(x);
  let a_bits = bitcast<u32>(a);
  let whole = floor(y) == y;
  let half = 0.5f * y;
  let odd = whole && floor(half) != half;
  let logarithm = m_log_parts(a);
  let y_upper = m_upper(y);
  let low = fma(y - y_upper, logarithm.x, y * logarithm.y);
  var size = m_exp_parts(y_upper * logarithm.x, clamp(low, -1.0f, 1.0f), 0);
  if (a_bits == 0u || a_bits == 0x7f800000u) {
    size = select(0.0f, m_from_bits(0x7f800000u, x), (a_bits == 0u) == (y < 0.0f));
  }
  if (bitcast<u32>(x) >= 0x80000000u) {
    if (odd) { size = -size; }
    if (!whole && a_bits != 0u && a_bits != 0x7f800000u) { size = m_from_bits(0x7fc00000u, x); }
  }
  return select(size, 1.0f, x == 1.0f || y == 0.0f);
}`,
  },
  m_remainder: {
    uses: ['m_from_bits'],
    wgsl: `fn m_remainder(x: f32, y: f32) -> f32 {
  let x_bits = bitcast<u32>(x) & 0x7fffffffu;
  let y_bits = bitcast<u32>(y) & 0x7fffffffu;
  if (y_bits == 0u || x_bits >= 0x7f800000u || y_bits > 0x7f800000u) { return m_from_bits(0x7fc00000u, x); }
  if (x_bits < y_bits) { return x; }
  let x_exponent = max(x_bits >> 23u, 1u);
  let y_exponent = max(y_bits >> 23u, 1u);
  let divisor = (y_bits & 0x007fffffu) | select(0u, 0x00800000u, y_bits >= 0x00800000u);
  var rest = (x_bits & 0x007fffffu) | select(0u, 0x00800000u, x_bits >= 0x00800000u);
  for (var step = 0u; step < 254u; step++) {
    if (rest >= divisor) { rest = rest - divisor; }
    if (step == x_exponent - y_exponent || rest == 0u) { break; }
    rest = rest << 1u;
  }
  let shift = min(countLeadingZeros(rest) - 8u, y_exponent - 1u);
  let scaled = rest << shift;
  let exponent = select(0u, y_exponent - shift, scaled >= 0x00800000u);
  return bitcast<f32>((bitcast<u32>(x) & 0x80000000u) | (scaled & 0x007fffffu) | (exponent << 23u));
}`,
  },
  m_modulo: {
    uses: ['m_remainder'],
    wgsl: `fn m_modulo(x: f32, y: f32) -> f32 {
  let rest = m_remainder(x, y);
  let other_sign = ((bitcast<u32>(rest) ^ bitcast<u32>(y)) >> 31u) == 1u;
  return select(rest, rest + y, other_sign && rest != 0.0f);
}`,
  },
} as const;
