/**
 * sin, cos, tan and their inverses in WGSL, for every float32 argument (see `math.wgsl.ts` for the method).
 * The argument's significand times 96 bits of 2/pi, modulo 2^96, leaves the quadrant in the top two bits and the
 * position inside it below them; 64 of those bits survive the worst cancellation a float32 can cause (about 30).
 */
import { horner } from './float-literal.ts';

export type TrigonometricFunction = keyof typeof TRIGONOMETRIC;

const SIN_TAIL = [-0.16666667, 0.008333329, -0.0001983933, 2.7182743e-6];
const COS_TAIL = [0.041666668, -0.0013888883, 2.4799516e-5, -2.7209893e-7];
const ASIN_TAIL = [0.1666666, 0.07500512, 0.044515472, 0.03181982, 0.0143938055, 0.037578158];
const ATAN_TAIL = [-0.33333316, 0.19998485, -0.14243767, 0.1059536, -0.06081743];

export const TRIGONOMETRIC = {
  m_high_product: {
    uses: [],
    wgsl: `fn m_high_product(a: u32, b: u32) -> u32 {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let first = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let second = (a & 0xffffu) * (b >> 16u) + (first & 0xffffu);
  return (a >> 16u) * (b >> 16u) + (first >> 16u) + (second >> 16u);
}`,
  },
  // Word of 2/pi, most significant first, after one word of zeros.
  m_two_over_pi: {
    uses: [],
    wgsl: `fn m_two_over_pi(word: u32) -> u32 {
  switch (word) {
    case 1u: { return 0xa2f9836eu; }
    case 2u: { return 0x4e441529u; }
    case 3u: { return 0xfc2757d1u; }
    case 4u: { return 0xf534ddc0u; }
    case 5u: { return 0xdb629599u; }
    case 6u: { return 0x3c439041u; }
    case 7u: { return 0xfe5163abu; }
    default: { return 0u; }
  }
}`,
  },
  m_two_over_pi_bits: {
    uses: ['m_two_over_pi'],
    wgsl: `fn m_two_over_pi_bits(bit: u32) -> u32 {
  let shift = bit % 32u;
  return (m_two_over_pi(bit / 32u) << shift) | ((m_two_over_pi(bit / 32u + 1u) >> 1u) >> (31u - shift));
}`,
  },
  // |x| = quadrant pi/2 + rest with |rest| <= pi/4; the quadrant in x, the bits of the rest in y.
  m_quadrant: {
    uses: ['m_two_over_pi_bits', 'm_high_product'],
    wgsl: `fn m_quadrant(x: f32) -> vec2u {
  let a = bitcast<u32>(x) & 0x7fffffffu;
  if (a <= 0x3f490fdau) { return vec2u(0u, a); }
  if (a >= 0x7f800000u) { return vec2u(0u, 0x7fc00000u); }
  let exponent = a >> 23u;
  let significand = (a & 0x007fffffu) | 0x00800000u;
  let bit = exponent - 120u;
  let w0 = m_two_over_pi_bits(bit);
  let w1 = m_two_over_pi_bits(bit + 32u);
  let w2 = m_two_over_pi_bits(bit + 64u);
  let middle = significand * w1;
  let p1 = middle + m_high_product(significand, w2);
  let p0 = significand * w0 + m_high_product(significand, w1) + select(0u, 1u, p1 < middle);
  let p2 = significand * w2;
  var high = (p0 << 2u) | (p1 >> 30u);
  var low = (p1 << 2u) | (p2 >> 30u);
  let above = high >> 31u;
  if (above == 1u) {
    low = ~low + 1u;
    high = ~high + select(0u, 1u, low == 0u);
  }
  let zeros = min(countLeadingZeros(high), 31u);
  let top = (high << zeros) | ((low >> 1u) >> (31u - zeros));
  let rest = f32(top) * 1.5707964f * bitcast<f32>((95u - zeros) << 23u);
  return vec2u(((p0 >> 30u) + above) & 3u, bitcast<u32>(rest) | (above << 31u));
}`,
  },
  m_sin_near: {
    uses: [],
    wgsl: `fn m_sin_near(r: f32) -> f32 {
  let z = r * r;
  return fma(r, z * ${horner('z', SIN_TAIL)}, r);
}`,
  },
  m_cos_near: {
    uses: [],
    wgsl: `fn m_cos_near(r: f32) -> f32 {
  let z = r * r;
  return fma(z, fma(z, ${horner('z', COS_TAIL)}, -0.5f), 1.0f);
}`,
  },
  m_sin: {
    uses: ['m_quadrant', 'm_sin_near', 'm_cos_near'],
    wgsl: `fn m_sin(x: f32) -> f32 {
  let q = m_quadrant(x);
  let r = bitcast<f32>(q.y);
  let value = select(m_sin_near(r), m_cos_near(r), (q.x & 1u) == 1u);
  return select(value, -value, ((q.x >> 1u) ^ (bitcast<u32>(x) >> 31u)) == 1u);
}`,
  },
  m_cos: {
    uses: ['m_quadrant', 'm_sin_near', 'm_cos_near'],
    wgsl: `fn m_cos(x: f32) -> f32 {
  let q = m_quadrant(x);
  let r = bitcast<f32>(q.y);
  let value = select(m_cos_near(r), m_sin_near(r), (q.x & 1u) == 1u);
  return select(value, -value, q.x == 1u || q.x == 2u);
}`,
  },
  m_tan: {
    uses: ['m_quadrant', 'm_sin_near', 'm_cos_near'],
    wgsl: `fn m_tan(x: f32) -> f32 {
  let q = m_quadrant(x);
  let r = bitcast<f32>(q.y);
  let s = m_sin_near(r);
  let c = m_cos_near(r);
  let value = select(s / c, -(c / s), (q.x & 1u) == 1u);
  return select(value, -value, bitcast<u32>(x) >= 0x80000000u);
}`,
  },
  // asin(a) for 0 <= a <= 1/2.
  m_asin_near: {
    uses: [],
    wgsl: `fn m_asin_near(a: f32) -> f32 {
  let z = a * a;
  return fma(a, z * ${horner('z', ASIN_TAIL)}, a);
}`,
  },
  m_asin: {
    uses: ['m_asin_near', 'm_copysign', 'm_from_bits'],
    wgsl: `fn m_asin(x: f32) -> f32 {
  let a = abs(x);
  let outer = a > 0.5f;
  let near = m_asin_near(select(a, sqrt(0.5f * max(1.0f - a, 0.0f)), outer));
  let value = select(near, 1.5707964f - fma(2.0f, near, 4.371139e-8f), outer);
  return select(m_copysign(value, x), m_from_bits(0x7fc00000u, x), a > 1.0f);
}`,
  },
  m_acos: {
    uses: ['m_asin_near', 'm_from_bits'],
    wgsl: `fn m_acos(x: f32) -> f32 {
  let a = abs(x);
  let outer = a > 0.5f;
  let near = m_asin_near(select(a, sqrt(0.5f * max(1.0f - a, 0.0f)), outer));
  let signed = select(near, -near, x < 0.0f);
  let middle = 1.5707964f - (signed + 4.371139e-8f);
  let far = select(2.0f * near, 3.1415927f - fma(2.0f, near, 8.742278e-8f), x < 0.0f);
  return select(select(middle, far, outer), m_from_bits(0x7fc00000u, x), a > 1.0f);
}`,
  },
  // atan(a) = base + atan(b) with |b| <= tan(pi/8).
  m_atan: {
    uses: ['m_copysign'],
    wgsl: `fn m_atan(x: f32) -> f32 {
  let a = abs(x);
  let steep = a > 2.4142137f;
  let middle = a > 0.41421357f && !steep;
  let b = select(select(a, (a - 1.0f) / (a + 1.0f), middle), -1.0f / a, steep);
  let base = select(select(0.0f, 0.7853982f, middle), 1.5707964f, steep);
  let low = select(select(0.0f, -2.1855694e-8f, middle), -4.371139e-8f, steep);
  let z = b * b;
  return m_copysign(base + (fma(b, z * ${horner('z', ATAN_TAIL)}, low) + b), x);
}`,
  },
} as const;
