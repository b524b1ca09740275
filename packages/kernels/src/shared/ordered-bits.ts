/**
 * Float32 values as u32 keys in the same order, so that maxima and minima are taken on integers: WGSL may assume
 * that NaN does not exist and may flush denormals, integers keep every bit.
 *
 * With b the bits and s = b >> 31 (arithmetic), k = b ^ (s & 0x7fffffff) orders all floats as signed integers,
 * -0 below +0; -Infinity is 0x807fffff there. key = k - 0x807fffff + 2 makes them unsigned:
 *
 *   0                 no value at all (an empty window), decoded as the lowest finite value
 *   1                 NaN where NaN loses every comparison
 *   2 .. 0xff000003   -Infinity .. +Infinity
 *   0xffffffff        NaN where NaN wins a maximum
 *
 * http://stereopsis.com/radix.html describes the same flip of float bits for sorting.
 */
import type { ElementType } from './image-view.ts';

/** Key of NaN: `loses` a maximum (and wins a minimum) as 1, `wins` a maximum as 0xffffffff. */
export type NanOrder = 'loses' | 'wins';

/** WGSL of `fn to_key(bits: U) -> U` and `fn from_key(key: U) -> U`; NaN comes back as 0x7fc00000. */
export function orderedBitsWgsl(type: Extract<ElementType, 'u32' | 'vec4u'>, nan: NanOrder): string {
  const signed = type === 'u32' ? 'i32' : 'vec4i';
  const shift = type === 'u32' ? '31u' : 'vec4u(31u)';
  const nanKey = nan === 'loses' ? '1u' : '0xffffffffu';
  return `
fn to_key(bits: ${type}) -> ${type} {
  let flip = bitcast<${type}>(bitcast<${signed}>(bits) >> ${shift}) & ${type}(0x7fffffffu);
  let rank = (bits ^ flip) - ${type}(0x807fffffu);
  return select(rank + ${type}(2u), ${type}(${nanKey}), rank > ${type}(0xff000001u));
}
fn from_key(key: ${type}) -> ${type} {
  let ordered = key - ${type}(2u) + ${type}(0x807fffffu);
  let flip = bitcast<${type}>(bitcast<${signed}>(ordered) >> ${shift}) & ${type}(0x7fffffffu);
  let number = select(ordered ^ flip, ${type}(0x7fc00000u), key == ${type}(${nanKey}));
  return select(number, ${type}(0xff7fffffu), key == ${type}(0u));
}`;
}
