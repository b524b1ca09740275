/**
 * Linear and cubic resampling of integers in fixed point, so that every device gives the same bits. Layout and index
 * equations: `axes-view.wgsl.ts`.
 *
 * A number is a pair of words, two's complement, (high * 2^32 + low) * 2^(SHIFT - 32): 32 - SHIFT bits of fraction.
 * Weights are pairs too, in units of 2^-62, and sum to 2^62 exactly. Products are cut off below the last bit of fraction; the
 * result is rounded to the nearest integer, ties (and what is within 2^-snapBits of one) to the even, and held in the
 * type's range.
 */
import { FLAT_BUILTINS, FLAT_COMPUTE } from '../shared/flat-grid.ts';
import { axesViewWgsl } from './axes-view.wgsl.ts';

export interface GatherIntegersSpec {
  /** Taps of each resized axis. */
  readonly taps: readonly number[];
  readonly signed: boolean;
  /** Bits of the element. */
  readonly bits: number;
  /** Bits taken from the fraction to make room above: so many more than 31 that results may need. */
  readonly shift: number;
  readonly snapBits: number;
}

export function gatherIntegersWgsl({ taps, signed, bits, shift, snapBits }: GatherIntegersSpec): string {
  const largest = 2 ** (signed ? bits - 1 : bits) - 1;
  const half = 2 ** (31 - shift);
  const snap = 2 ** (32 - shift - snapBits);
  return `
${axesViewWgsl({ taps, tapWords: 3 })}
@group(0) @binding(0) var<storage, read> src: array<${signed ? 'i32' : 'u32'}>;
@group(0) @binding(1) var<storage, read> taps: array<u32>;
@group(0) @binding(2) var<storage, read_write> dst: array<u32>;
@group(0) @binding(3) var<uniform> params: Params;

// x: low word, y: high word
fn add(a: vec2u, b: vec2u) -> vec2u {
  let low = a.x + b.x;
  return vec2u(low, a.y + b.y + select(0u, 1u, low < a.x));
}
fn negated(a: vec2u) -> vec2u {
  return add(~a, vec2u(1u, 0u));
}
fn is_negative(a: vec2u) -> bool {
  return (a.y >> 31u) == 1u;
}
fn magnitude(a: vec2u) -> vec2u {
  return select(a, negated(a), is_negative(a));
}
// All 64 bits of a product.
fn product(a: u32, b: u32) -> vec2u {
  let a0 = a & 0xffffu;
  let a1 = a >> 16u;
  let b0 = b & 0xffffu;
  let b1 = b >> 16u;
  let low = a0 * b0;
  let cross = a1 * b0 + (low >> 16u);
  let middle = a0 * b1 + (cross & 0xffffu);
  return vec2u((middle << 16u) | (low & 0xffffu), a1 * b1 + (cross >> 16u) + (middle >> 16u));
}
// value * weight / 2^62: of the four words of the product the lowest is never seen.
fn weighted(value: vec2u, weight: vec2u) -> vec2u {
  let size = magnitude(value);
  let factor = magnitude(weight);
  let right = product(size.x, factor.y);
  let left = product(size.y, factor.x);
  let low = add(add(vec2u(left.x, 0u), vec2u(right.x, 0u)), vec2u(product(size.x, factor.x).y, 0u));
  let high = add(add(vec2u(left.y, 0u), vec2u(right.y, 0u)), vec2u(low.y, 0u));
  let upper = add(product(size.y, factor.y), high);
  let result = vec2u((upper.x << 2u) | (low.x >> 30u), (upper.y << 2u) | (upper.x >> 30u));
  return select(result, negated(result), is_negative(value) != is_negative(weight));
}
fn along_${taps.length}(at: At, row: u32) -> vec2u {
  let value = src[row * params.inner + at.i];
  return vec2u(${shift === 0 ? '0u' : `u32(value) << ${32 - shift}u`}, u32(value >> ${shift}u));
}
${taps.map(alongWgsl).toReversed().join('\n')}

// The whole part of value + fraction * 2^(SHIFT - 32), at most 2^32 - 1.
fn whole_part(value: vec2u, fraction: u32) -> u32 {
  let size = add(value, vec2u(fraction, 0u));
  ${shift === 0 ? 'return size.y;' : `return select((size.y << ${shift}u) | (size.x >> ${32 - shift}u), 0xffffffffu, (size.y >> ${32 - shift}u) != 0u);`}
}
fn to_element(value: vec2u) -> u32 {
  let negative = is_negative(value);
  let size = magnitude(value);
  let down = whole_part(size, ${half - snap}u);
  let up = whole_part(size, ${half + snap}u);
  let number = select(down + (down % 2u), down, down == up);
  let largest = ${signed ? `select(${largest}u, ${largest + 1}u, negative)` : `select(${largest}u, 0u, negative)`};
  let held = min(number, largest);
  return select(held, ~held + 1u, negative);
}

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let at = locate(index);
  var value = params.extrapolation;
  if (!is_outside(at)) { value = to_element(along_0(at, 0u)); }
  dst[index] = value;
}`;
}

/** `fn along_k`: the taps of one axis. Integer sums are exact in any order. */
function alongWgsl(count: number, k: number): string {
  return `fn along_${k}(at: At, row: u32) -> vec2u {
  let base = (row * params.mid_${k} + at.m_${k}) * params.src_${k};
  let first = params.first_${k} + at.x_${k} * ${3 * count}u;
  var sum = vec2u();
  for (var t = 0u; t < ${count}u; t++) {
    let tap = first + 3u * t;
    sum = add(sum, weighted(along_${k + 1}(at, base + taps[tap]), vec2u(taps[tap + 1u], taps[tap + 2u])));
  }
  return sum;
}`;
}
