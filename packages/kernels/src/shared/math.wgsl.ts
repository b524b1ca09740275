/**
 * Elementary functions in WGSL, one f32 in and one out, within a few float32 ulp of the exact value wherever that
 * is a normal number. WGSL's own are not used: it allows `exp` an error growing with |x|, `sin` and `log` only an
 * absolute one. Coefficients are our own fits: iteratively reweighted least squares towards the smallest largest
 * relative error, then rounded to float32, whose shortest decimals are written. Names start with `m_`. Accuracy is
 * checked in `activation.test.ts`.
 *
 * Reductions: exp(x) = 2^n exp(x - n ln2) with ln2 in two parts; log(x) = e ln2 + log1p(f), |f| < 0.42; sin, cos
 * and tan multiply the 24-bit significand by a 96-bit window of 2/pi (Payne and Hanek, "Radian reduction for
 * trigonometric functions", 1983), exact for every float32.
 */
import { horner } from './float-literal.ts';
import { POWER } from './power.wgsl.ts';
import { TRIGONOMETRIC, type TrigonometricFunction } from './trigonometric.wgsl.ts';

export type MathFunction = keyof typeof EXPONENTIAL | keyof typeof POWER | TrigonometricFunction;

/** A function's WGSL and the functions it calls. */
export interface MathText {
  readonly uses: readonly string[];
  readonly wgsl: string;
}

const EXP_TAIL = [0.5, 0.16666518, 0.041666206, 0.008368954, 0.00139506];
const LOG_TAIL = [0.6666666, 0.40000337, 0.28537238, 0.23583572];
const TANH_TAIL = [-0.3333333, 0.1333321, -0.053947203, 0.021702968, -0.008182674, 0.002147537];
const SINH_TAIL = [0.16666667, 0.008333333, 0.00019841296, 2.7552064e-6];
const ERF_TAIL = [
  0.12837917, -0.37612635, 0.112837195, -0.026860753, 0.005204436, -0.0008181927, 8.538839e-5,
];
const MILLS = [
  0.11968672, 0.119571194, 0.11024031, 0.07836793, 0.09621681, -0.07953042, 0.19190788, -0.22830257,
  0.1124721, -0.020629965,
];

const EXPONENTIAL = {
  m_copysign: {
    uses: [],
    wgsl: `fn m_copysign(size: f32, sign_of: f32) -> f32 {
  return bitcast<f32>((bitcast<u32>(size) & 0x7fffffffu) | (bitcast<u32>(sign_of) & 0x80000000u));
}`,
  },
  // Infinity and NaN as constants are errors in WGSL: they are made from bits the compiler does not know.
  m_from_bits: {
    uses: [],
    wgsl: `fn m_from_bits(bits: u32, x: f32) -> f32 { return bitcast<f32>(bits | (bitcast<u32>(x) & 0u)); }`,
  },
  // exp(x + low) 2^shift for |low| much below 1; two factors, so that no factor overflows before the product does.
  m_exp_parts: {
    uses: [],
    wgsl: `fn m_exp_parts(x: f32, low: f32, shift: i32) -> f32 {
  let c = min(max(x, -105.0f), 91.0f);
  let n = round(c * 1.442695f);
  let r = fma(n, -1.4286068e-6f, fma(n, -0.693145751953125f, c)) + low;
  let p = fma(r * r, ${horner('r', EXP_TAIL)}, r) + 1.0f;
  let k = i32(n) + shift;
  let half = k >> 1u;
  return p * bitcast<f32>(u32(half + 127) << 23u) * bitcast<f32>(u32(k - half + 127) << 23u);
}`,
  },
  m_exp: {
    uses: ['m_exp_parts'],
    wgsl: `fn m_exp(x: f32) -> f32 { return m_exp_parts(x, 0.0f, 0); }`,
  },
  m_expm1: {
    uses: [],
    wgsl: `fn m_expm1(x: f32) -> f32 {
  let c = min(max(x, -30.0f), 88.0f);
  let n = round(c * 1.442695f);
  let r = fma(n, -1.4286068e-6f, fma(n, -0.693145751953125f, c));
  let q = fma(r * r, ${horner('r', EXP_TAIL)}, r);
  let s = bitcast<f32>(u32(i32(n) + 127) << 23u);
  return fma(s, q, s - 1.0f);
}`,
  },
  // x = 2^e (1 + f) with 1 + f between sqrt(1/2) and sqrt(2); subnormal x is read from its bits.
  // e ln2 + log(1 + f) for |f| < 0.42, with s = f / (2 + f) and log(1 + f) = 2 s + s R(s^2).
  m_log_near: {
    uses: [],
    wgsl: `fn m_log_near(f: f32, e: f32) -> f32 {
  let s = f / (f + 2.0f);
  let z = s * s;
  let h = 0.5f * f * f;
  let low = fma(s, fma(z, ${horner('z', LOG_TAIL)}, h), e * 1.4286068e-6f);
  return fma(e, 0.693145751953125f, f - (h - low));
}`,
  },
  // x = 2^e (1 + f) with 1 + f between sqrt(1/2) and sqrt(2); subnormal x is read from its bits.
  m_log: {
    uses: ['m_log_near', 'm_from_bits'],
    wgsl: `fn m_log(x: f32) -> f32 {
  let bits = bitcast<u32>(x);
  let tiny = bits < 0x00800000u;
  let shifted = select(bits, bitcast<u32>(f32(bits)), tiny) + 0x004afb0du;
  let e = f32(i32(shifted >> 23u) - select(127, 276, tiny));
  let value = m_log_near(bitcast<f32>((shifted & 0x007fffffu) + 0x3f3504f3u) - 1.0f, e);
  if (bits < 0x7f800000u && bits > 0u) { return value; }
  if ((bits << 1u) == 0u) { return m_from_bits(0xff800000u, x); }
  return select(x, m_from_bits(0x7fc00000u, x), bits > 0x80000000u);
}`,
  },
  // log(1 + y) for y >= 0.
  m_log1p: {
    uses: ['m_log'],
    wgsl: `fn m_log1p(y: f32) -> f32 {
  return select(m_log(1.0f + y), m_log_near(min(y, 0.5f), 0.0f), y < 0.4142135f);
}`,
  },
  m_sigmoid: {
    uses: ['m_exp'],
    wgsl: `fn m_sigmoid(x: f32) -> f32 { return 1.0f / (1.0f + m_exp(-x)); }`,
  },
  // The exponential is squared at the end, so that a subnormal factor does not spoil a normal product.
  m_silu: {
    uses: ['m_exp'],
    wgsl: `fn m_silu(x: f32) -> f32 {
  let h = m_exp(-0.5f * abs(x));
  return select(max(x, -300.0f) * h * h, x, x >= 0.0f) / (1.0f + h * h);
}`,
  },
  m_tanh: {
    uses: ['m_exp', 'm_copysign'],
    wgsl: `fn m_tanh(x: f32) -> f32 {
  let a = min(abs(x), 20.0f);
  let z = a * a;
  let near = fma(a, z * ${horner('z', TANH_TAIL)}, a);
  let far = 1.0f - 2.0f / (m_exp(2.0f * a) + 1.0f);
  return m_copysign(select(far, near, a < 0.625f), x);
}`,
  },
  m_softplus: {
    uses: ['m_exp', 'm_log1p'],
    wgsl: `fn m_softplus(x: f32) -> f32 { return max(x, 0.0f) + m_log1p(m_exp(-abs(x))); }`,
  },
  // tanh(softplus(x)) = (1 + 2 q) / (1 + 2 q + 2 q^2) with q = exp(-x), written for each sign without overflow.
  m_mish: {
    uses: ['m_exp'],
    wgsl: `fn m_mish(x: f32) -> f32 {
  let h = m_exp(-0.5f * abs(x));
  let q = h * h;
  let right = fma(2.0f, q, 1.0f);
  let left = q + 2.0f;
  let above = x * (right / fma(2.0f * q, q, right));
  let below = max(x, -300.0f) * h * (h * left) / fma(q, left, 2.0f);
  return select(below, above, x >= 0.0f);
}`,
  },
  // exp(a^2 / 2) (1 - Phi(a)), Phi the normal distribution: smooth in 1 / (1 + 0.3 a).
  m_mills: {
    uses: [],
    wgsl: `fn m_mills(a: f32) -> f32 {
  let t = 1.0f / fma(0.3f, a, 1.0f);
  return t * ${horner('t', MILLS)};
}`,
  },
  // The upper 12 bits of the significand: products of two such numbers are exact.
  m_upper: {
    uses: [],
    wgsl: `fn m_upper(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) & 0xfffff000u); }`,
  },
  // x^2 as an exact square and a rest: exp magnifies the error of its argument, and fma need not be fused.
  m_square: {
    uses: ['m_upper'],
    wgsl: `fn m_square(x: f32) -> vec2f {
  let upper = m_upper(x);
  return vec2f(upper * upper, (x + upper) * (x - upper));
}`,
  },
  m_erf: {
    uses: ['m_exp_parts', 'm_square', 'm_mills', 'm_copysign'],
    wgsl: `fn m_erf(x: f32) -> f32 {
  let a = min(abs(x), 6.0f);
  let z = m_square(a);
  let near = fma(a, ${horner('(a * a)', ERF_TAIL)}, a);
  let far = 1.0f - m_exp_parts(-z.x, -z.y, 1) * m_mills(a * 1.4142135f);
  return m_copysign(select(far, near, a < 0.9f), x);
}`,
  },
  // x Phi(x), with exp(-x^2 / 2) as a square for the reason given at m_silu.
  m_gelu: {
    uses: ['m_exp_parts', 'm_square', 'm_mills'],
    wgsl: `fn m_gelu(x: f32) -> f32 {
  let c = clamp(x, -20.0f, 20.0f);
  let z = -0.25f * m_square(c);
  let h = m_exp_parts(z.x, z.y, 0);
  let below = c * h * (h * m_mills(abs(c)));
  return select(below, x - below, x >= 0.0f);
}`,
  },
  // x sigmoid(2 w), w = sqrt(2/pi) (x + 0.044715 x^3); exp(-w) is the product of the exponentials of its two terms,
  // each an exact product of 12-bit factors and a small rest.
  m_gelu_tanh: {
    uses: ['m_exp_parts', 'm_square', 'm_upper'],
    wgsl: `fn m_gelu_tanh(x: f32) -> f32 {
  let c = clamp(x, -12.0f, 12.0f);
  let a = abs(c);
  let a_upper = m_upper(a);
  let z = m_square(a);
  let z_upper = m_upper(z.x);
  let cube = a_upper * z_upper;
  let cube_rest = (a - a_upper) * (z.x + z.y) + a_upper * ((z.x - z_upper) + z.y);
  let cube_upper = m_upper(cube);
  let linear_rest = (a - a_upper) * 0.7978515625f + a * 3.299830286537e-5f;
  let cubic_rest = ((cube - cube_upper) + cube_rest) * 0.035675048828125f + (cube + cube_rest) * 2.359308175124697e-6f;
  let h = m_exp_parts(-0.7978515625f * a_upper, -linear_rest, 0)
    * m_exp_parts(-0.035675048828125f * cube_upper, -cubic_rest, 0);
  return select(c * h * h, x, x >= 0.0f) / (1.0f + h * h);
}`,
  },
  m_sinh: {
    uses: ['m_exp_parts', 'm_copysign'],
    wgsl: `fn m_sinh(x: f32) -> f32 {
  let a = abs(x);
  let z = min(a, 1.0f) * min(a, 1.0f);
  let near = fma(a, z * ${horner('z', SINH_TAIL)}, a);
  let e = m_exp_parts(a, 0.0f, -1);
  return m_copysign(select(e - 0.25f / e, near, a < 1.0f), x);
}`,
  },
  m_cosh: {
    uses: ['m_exp_parts'],
    wgsl: `fn m_cosh(x: f32) -> f32 {
  let e = m_exp_parts(abs(x), 0.0f, -1);
  return e + 0.25f / e;
}`,
  },
  m_asinh: {
    uses: ['m_log1p', 'm_copysign'],
    wgsl: `fn m_asinh(x: f32) -> f32 {
  let a = abs(x);
  let c = min(a, 1.0e9f);
  let z = c * c;
  let near = m_log1p(c + z / (1.0f + sqrt(1.0f + z)));
  return m_copysign(select(m_log(a) + 0.6931472f, near, a < 1.0e9f), x);
}`,
  },
  m_acosh: {
    uses: ['m_log1p', 'm_from_bits'],
    wgsl: `fn m_acosh(x: f32) -> f32 {
  let t = min(x - 1.0f, 1.0e9f);
  let near = m_log1p(t + sqrt(fma(t, t, 2.0f * t)));
  let value = select(m_log(x) + 0.6931472f, near, x < 1.0e9f);
  return select(value, m_from_bits(0x7fc00000u, x), x < 1.0f);
}`,
  },
  m_atanh: {
    uses: ['m_log1p', 'm_copysign', 'm_from_bits'],
    wgsl: `fn m_atanh(x: f32) -> f32 {
  let a = abs(x);
  let value = m_copysign(0.5f * m_log1p(2.0f * a / (1.0f - a)), x);
  let edge = m_copysign(m_from_bits(select(0x7fc00000u, 0x7f800000u, a == 1.0f), x), x);
  return select(value, edge, a >= 1.0f);
}`,
  },
} as const satisfies Record<string, MathText>;

const TEXTS: Readonly<Record<string, MathText>> = { ...EXPONENTIAL, ...POWER, ...TRIGONOMETRIC };

/** WGSL of the named functions and of everything they call, each once and before its callers. */
export function mathWgsl(names: readonly MathFunction[]): string {
  const texts = new Map<string, string>();
  const visit = (name: string): void => {
    const text = TEXTS[name];
    if (text === undefined || texts.has(name)) return;
    for (const used of text.uses) visit(used);
    texts.set(name, text.wgsl);
  };
  for (const name of names) visit(name);
  return [...texts.values()].join('\n');
}
