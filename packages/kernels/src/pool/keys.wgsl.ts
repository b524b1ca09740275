/**
 * Elements as u32 keys in the same order, 0 for no element at all, so that one kernel takes maxima of every type.
 * Floats: `ordered-bits`. Bytes: the zero-extended bits, the sign flipped for int8, plus one; 0 decodes as the lowest.
 */
import { orderedBitsWgsl } from '../shared/ordered-bits.ts';
import { isFloat, type PoolElement } from './problem.ts';

/** WGSL of `fn to_key(bits: T) -> T` and `fn from_key(key: T) -> T`. */
export function poolKeysWgsl(element: PoolElement, type: 'u32' | 'vec4u'): string {
  if (isFloat(element)) return orderedBitsWgsl(type, 'loses');
  const flip = element === 'int8' ? '0x80u' : '0u';
  return `
fn to_key(bits: ${type}) -> ${type} { return (bits ^ ${type}(${flip})) + ${type}(1u); }
fn from_key(key: ${type}) -> ${type} { return (max(key, ${type}(1u)) - ${type}(1u)) ^ ${type}(${flip}); }`;
}
