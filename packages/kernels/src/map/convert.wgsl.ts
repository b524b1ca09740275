/**
 * Conversions between element classes, all in integers. Integers become others by their low bits; floats lose their
 * fraction and wrap likewise, NaN and infinities become zero; integers become the nearest float, ties to even; bool is
 * 0 or 1, and whatever is not zero (NaN too) is true. Every conversion goes through the 64-bit pair of the number.
 */
import type { MapElement } from './element.ts';
import { PAIRS_WGSL } from './pairs.wgsl.ts';

/** WGSL of `fn combine(x: FROM) -> TO`. */
export function convertWgsl(from: MapElement, to: MapElement): string {
  if (to === 'bool')
    return `fn combine(x: ${WORDS[from]}) -> u32 { return select(0u, 1u, ${IS_TRUE[from]}); }`;
  return `${PAIRS_WGSL}
${FLOAT_CONVERSIONS}
fn combine(x: ${WORDS[from]}) -> ${WORDS[to]} {
  let pair = ${TO_PAIR[from]};
  return ${to === 'f32' ? floatOf(from) : FROM_PAIR[to]};
}`;
}

const WORDS: Readonly<Record<MapElement, string>> = {
  f32: 'u32',
  i32: 'i32',
  u32: 'u32',
  bool: 'u32',
  i64: 'vec2u',
  u64: 'vec2u',
};

const IS_TRUE: Readonly<Record<MapElement, string>> = {
  f32: '(x & 0x7fffffffu) != 0u',
  i32: 'x != 0i',
  u32: 'x != 0u',
  bool: 'x != 0u',
  i64: '(x.x | x.y) != 0u',
  u64: '(x.x | x.y) != 0u',
};

const TO_PAIR: Readonly<Record<MapElement, string>> = {
  f32: 'whole_of_float(x)',
  i32: 'vec2u(bitcast<u32>(x), bitcast<u32>(x >> 31u))',
  u32: 'vec2u(x, 0u)',
  bool: 'vec2u(x, 0u)',
  i64: 'x',
  u64: 'x',
};

const FROM_PAIR: Readonly<Record<Exclude<MapElement, 'f32' | 'bool'>, string>> = {
  i32: 'bitcast<i32>(pair.x)',
  u32: 'pair.x',
  i64: 'pair',
  u64: 'pair',
};

function floatOf(from: MapElement): string {
  if (from === 'f32') return 'x';
  if (from !== 'i32' && from !== 'i64') return 'nearest_float(pair)';
  return '(pair.y & 0x80000000u) | nearest_float(magnitude_of_pair(pair))';
}

const FLOAT_CONVERSIONS = `
/** Bits of the float nearest to an unsigned number. */
fn nearest_float(x: vec2u) -> u32 {
  let zeros = select(32u + countLeadingZeros(x.x), countLeadingZeros(x.y), x.y != 0u);
  let top = shift_pair_left(x, zeros & 63u);
  let rest = top.y & 0xffu;
  let odd = ((top.y >> 8u) & 1u) == 1u;
  let up = rest > 0x80u || (rest == 0x80u && (top.x != 0u || odd));
  let bits = ((190u - min(zeros, 63u)) << 23u) + ((top.y >> 8u) & 0x7fffffu) + select(0u, 1u, up);
  return select(bits, 0u, zeros == 64u);
}
/** The whole part of a float, modulo 2^64. */
fn whole_of_float(bits: u32) -> vec2u {
  let exponent = (bits >> 23u) & 0xffu;
  let mantissa = (bits & 0x7fffffu) | 0x800000u;
  var size = vec2u();
  if (exponent >= 127u && exponent <= 150u) {
    size.x = mantissa >> (150u - exponent);
  } else if (exponent > 150u && exponent < 214u) {
    size = shift_pair_left(vec2u(mantissa, 0u), exponent - 150u);
  }
  return select(size, negate_pair(size), (bits >> 31u) == 1u);
}`;
