/**
 * Integers of 64 bits as vec2u, the low word first; everything wraps at 2^64. Signed numbers are two's complement,
 * so sums, differences and products are those of unsigned ones. Quotients are found bit by bit (Knuth, The Art of
 * Computer Programming, volume 2, 4.3.1, in base 2).
 */
export const PAIRS_WGSL = `
fn add_pairs(x: vec2u, y: vec2u) -> vec2u {
  let low = x.x + y.x;
  return vec2u(low, x.y + y.y + select(0u, 1u, low < x.x));
}
fn subtract_pairs(x: vec2u, y: vec2u) -> vec2u {
  return vec2u(x.x - y.x, x.y - y.y - select(0u, 1u, x.x < y.x));
}
fn negate_pair(x: vec2u) -> vec2u {
  return subtract_pairs(vec2u(), x);
}
/** All 64 bits of a product of two words. */
fn multiply_words(x: u32, y: u32) -> vec2u {
  let low = (x & 0xffffu) * (y & 0xffffu);
  let left = (x & 0xffffu) * (y >> 16u);
  let right = (x >> 16u) * (y & 0xffffu);
  let middle = (low >> 16u) + (left & 0xffffu) + (right & 0xffffu);
  let high = (x >> 16u) * (y >> 16u) + (left >> 16u) + (right >> 16u) + (middle >> 16u);
  return vec2u((low & 0xffffu) | (middle << 16u), high);
}
fn multiply_pairs(x: vec2u, y: vec2u) -> vec2u {
  let low = multiply_words(x.x, y.x);
  return vec2u(low.x, low.y + x.x * y.y + x.y * y.x);
}
fn equal_pairs(x: vec2u, y: vec2u) -> bool {
  return x.x == y.x && x.y == y.y;
}
fn less_unsigned(x: vec2u, y: vec2u) -> bool {
  return x.y < y.y || (x.y == y.y && x.x < y.x);
}
fn is_negative(x: vec2u) -> bool {
  return (x.y >> 31u) == 1u;
}
fn less_signed(x: vec2u, y: vec2u) -> bool {
  return less_unsigned(x ^ vec2u(0u, 0x80000000u), y ^ vec2u(0u, 0x80000000u));
}
fn magnitude_of_pair(x: vec2u) -> vec2u {
  return select(x, negate_pair(x), is_negative(x));
}
/** Quotient and remainder (low words first) of unsigned numbers; the divisor is not zero. */
fn divide_unsigned(x: vec2u, y: vec2u) -> vec4u {
  var rest = vec2u();
  var quotient = vec2u();
  for (var step = 0u; step < 64u; step++) {
    let bit = 63u - step;
    let next = (select(x.x, x.y, bit >= 32u) >> (bit & 31u)) & 1u;
    let overflows = (rest.y >> 31u) == 1u;
    rest = vec2u((rest.x << 1u) | next, (rest.y << 1u) | (rest.x >> 31u));
    let fits = overflows || !less_unsigned(rest, y);
    rest = select(rest, subtract_pairs(rest, y), fits);
    quotient = vec2u((quotient.x << 1u) | select(0u, 1u, fits), (quotient.y << 1u) | (quotient.x >> 31u));
  }
  return vec4u(quotient, rest);
}
/** x 2^count for a count of 0 to 63. */
fn shift_pair_left(x: vec2u, count: u32) -> vec2u {
  let within = count & 31u;
  let carried = select(x.x >> ((32u - within) & 31u), 0u, within == 0u);
  let shifted = vec2u(x.x << within, (x.y << within) | carried);
  return select(shifted, vec2u(0u, shifted.x), count >= 32u);
}`;
