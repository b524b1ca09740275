/**
 * Element classes of `map` kernels and the WGSL type that holds each. Narrower types lie below them (`storeNarrow`):
 * int8 and int16 under `i32`, uint8 and uint16 under `u32`, bool, as 0 or 1, under `bool`. Floats are their 32 bits,
 * so that NaN, infinities, both zeros and denormals are told apart exactly; WGSL may assume that there are none.
 */
export type MapElement = 'f32' | 'i32' | 'u32' | 'i64' | 'u64' | 'bool';

export type WordType = 'i32' | 'u32' | 'vec2u';

/** Integers of 64 bits are pairs of words, the low one first. */
export function wordType(element: MapElement): WordType {
  if (element === 'i64' || element === 'u64') return 'vec2u';
  return element === 'i32' ? 'i32' : 'u32';
}

/** Bytes of one element in a buffer of whole words. */
export function mapElementBytes(element: MapElement): 4 | 8 {
  return wordType(element) === 'vec2u' ? 8 : 4;
}
