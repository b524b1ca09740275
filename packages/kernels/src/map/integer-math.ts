/**
 * Arithmetic on each class of integers as WGSL expressions, so that a function of numbers is written once for all of
 * them. Quotients are cut off towards zero; a division by zero gives zero, quotient and remainder, as on the host.
 */
import type { MapElement } from './element.ts';
import { PAIRS_WGSL } from './pairs.wgsl.ts';

export interface IntegerMath {
  /** WGSL functions that the expressions call. */
  readonly library: string;
  readonly zero: string;
  readonly one: string;
  add(x: string, y: string): string;
  subtract(x: string, y: string): string;
  multiply(x: string, y: string): string;
  divide(x: string, y: string): string;
  remainder(x: string, y: string): string;
  /** A WGSL bool. */
  less(x: string, y: string): string;
  /** A WGSL bool. */
  equal(x: string, y: string): string;
}

export function integerMath(element: Exclude<MapElement, 'f32'>): IntegerMath {
  switch (element) {
    case 'i32':
      return { ...WORDS, library: SIGNED_WORD_DIVISION, zero: '0i', one: '1i' };
    case 'u32':
    case 'bool':
      return { ...WORDS, library: UNSIGNED_WORD_DIVISION, zero: '0u', one: '1u' };
    case 'i64':
      return { ...PAIRS, library: PAIRS_WGSL + SIGNED_PAIR_DIVISION, less: call('less_signed') };
    case 'u64':
      return { ...PAIRS, library: PAIRS_WGSL + UNSIGNED_PAIR_DIVISION, less: call('less_unsigned') };
  }
}

const call =
  (name: string) =>
  (x: string, y: string): string =>
    `${name}(${x}, ${y})`;
const infix =
  (operator: string) =>
  (x: string, y: string): string =>
    `(${x} ${operator} ${y})`;

const DIVISION = { divide: call('divide'), remainder: call('remainder') };

const WORDS = {
  add: infix('+'),
  subtract: infix('-'),
  multiply: infix('*'),
  less: infix('<'),
  equal: infix('=='),
  ...DIVISION,
};

const PAIRS = {
  zero: 'vec2u()',
  one: 'vec2u(1u, 0u)',
  add: call('add_pairs'),
  subtract: call('subtract_pairs'),
  multiply: call('multiply_pairs'),
  equal: call('equal_pairs'),
  ...DIVISION,
};

/** By magnitudes: the lowest number divided by -1 wraps to itself. */
const SIGNED_WORD_DIVISION = `
fn magnitude(x: i32) -> u32 {
  return select(bitcast<u32>(x), 0u - bitcast<u32>(x), x < 0i);
}
fn divide(x: i32, y: i32) -> i32 {
  let size = magnitude(x) / max(magnitude(y), 1u);
  let quotient = bitcast<i32>(select(size, 0u - size, (x ^ y) < 0i));
  return select(quotient, 0i, y == 0i);
}
fn remainder(x: i32, y: i32) -> i32 {
  return select(x - divide(x, y) * y, 0i, y == 0i);
}`;

const UNSIGNED_WORD_DIVISION = `
fn divide(x: u32, y: u32) -> u32 {
  return select(x / max(y, 1u), 0u, y == 0u);
}
fn remainder(x: u32, y: u32) -> u32 {
  return select(x - divide(x, y) * y, 0u, y == 0u);
}`;

const SIGNED_PAIR_DIVISION = `
fn divide(x: vec2u, y: vec2u) -> vec2u {
  let size = divide_unsigned(magnitude_of_pair(x), magnitude_of_pair(y)).xy;
  let quotient = select(size, negate_pair(size), is_negative(x ^ y));
  return select(quotient, vec2u(), equal_pairs(y, vec2u()));
}
fn remainder(x: vec2u, y: vec2u) -> vec2u {
  let size = divide_unsigned(magnitude_of_pair(x), magnitude_of_pair(y)).zw;
  let rest = select(size, negate_pair(size), is_negative(x));
  return select(rest, vec2u(), equal_pairs(y, vec2u()));
}`;

const UNSIGNED_PAIR_DIVISION = `
fn divide(x: vec2u, y: vec2u) -> vec2u {
  return select(divide_unsigned(x, y).xy, vec2u(), equal_pairs(y, vec2u()));
}
fn remainder(x: vec2u, y: vec2u) -> vec2u {
  return select(divide_unsigned(x, y).zw, vec2u(), equal_pairs(y, vec2u()));
}`;
