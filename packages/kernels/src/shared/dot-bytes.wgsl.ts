/**
 * `fn dot_bytes(a: u32, b: u32) -> i32`: the dot product of two words of four signed bytes, by the language feature
 * where the device has it and by plain arithmetic elsewhere; both are exact.
 * https://www.w3.org/TR/WGSL/#packed-integer-dot-product
 */
import type { GpuCapabilities } from '@onegpu/core';

export function dotBytesWgsl({ packedDotProduct }: GpuCapabilities): string {
  if (packedDotProduct) return 'fn dot_bytes(a: u32, b: u32) -> i32 { return dot4I8Packed(a, b); }';
  return `
fn signed_bytes(word: u32) -> vec4i {
  return bitcast<vec4i>(vec4u(word) << vec4u(24u, 16u, 8u, 0u)) >> vec4u(24u);
}
fn dot_bytes(a: u32, b: u32) -> i32 { return dot(signed_bytes(a), signed_bytes(b)); }`;
}
