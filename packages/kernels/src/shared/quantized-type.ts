/** The integer types that numbers are quantised to, and their ranges. */

export type QuantizedType = 'int8' | 'uint8' | 'int16' | 'uint16';
export type ByteType = 'int8' | 'uint8';

export const QUANTIZED_TYPES: readonly QuantizedType[] = ['int8', 'uint8', 'int16', 'uint16'];

/** Smallest and largest number of the type. */
export function quantizedRange(type: QuantizedType): readonly [number, number] {
  const bits = type.endsWith('16') ? 16 : 8;
  return type.startsWith('u') ? [0, 2 ** bits - 1] : [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1];
}

/**
 * WGSL of `fn saturated(bits: u32, zero: i32) -> i32`: the float32 number of these bits rounded to nearest, ties to
 * even, moved by the zero point and kept in the type's range; NaN gives the smallest,
 * as onnxruntime's CPU does.
 */
export function saturatedWgsl(type: QuantizedType): string {
  const [low, high] = quantizedRange(type);
  return `
fn saturated(bits: u32, zero: i32) -> i32 {
  let size = bits & 0x7fffffffu;
  // 2^23 is past every range; NaN and infinities end there too.
  let sign = select(bits & 0x80000000u, 0x80000000u, size > 0x7f800000u);
  let number = bitcast<f32>(sign | min(size, 0x4b000000u));
  return i32(round(clamp(number, f32(${low} - zero), f32(${high} - zero)))) + zero;
}`;
}
