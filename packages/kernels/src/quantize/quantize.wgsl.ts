/**
 * dst[i] = saturate(round(src[i] / scale[s]) + zero_point[s]), s = scale_index(i)
 *
 * Both sides of the division and the quotient are rounded to float32 (or float16), then comes a whole number, ties to
 * even every time. Padding lanes of `nhwc4` become zero.
 */
import type { GpuCapabilities } from '@onegpu/core';
import { paramsWgsl } from '../shared/elementwise.ts';
import { type StoreWidth, storedElement, storingMain } from '../shared/four-a-word.ts';
import { type QuantizedType, saturatedWgsl } from '../shared/quantized-type.ts';
import { HALF_ROUNDED, QUOTIENT_BITS } from '../shared/rounded-divide.wgsl.ts';
import { SCALE_FIELDS, SCALE_INDEX } from './scale-map.ts';

export interface QuantizeSpec {
  readonly src: 'float' | 'int32';
  readonly dst: QuantizedType;
  readonly width: StoreWidth;
  readonly zeroPoint: boolean;
  /** Type of the division: both its sides and the quotient are rounded to it. */
  readonly precision: 'float32' | 'float16';
}

export function quantizeWgsl(spec: QuantizeSpec, target: GpuCapabilities): string {
  const { src, dst, width, zeroPoint, precision } = spec;
  const bits = src === 'float' ? 'src[position]' : 'bitcast<u32>(f32(src[position]))';
  const rounded = (text: string): string => (precision === 'float16' ? `half_rounded(${text})` : text);
  return `
@group(0) @binding(0) var<storage, read> src: array<${src === 'float' ? 'u32' : 'i32'}>;
@group(0) @binding(1) var<storage, read> scale: array<u32>;
${zeroPoint ? '@group(0) @binding(2) var<storage, read> zero_point: array<i32>;' : ''}
@group(0) @binding(${zeroPoint ? 3 : 2}) var<storage, read_write> dst: array<${storedElement(width)}>;
${paramsWgsl(zeroPoint ? 4 : 3, ['total: u32', ...SCALE_FIELDS])}
${SCALE_INDEX}
${QUOTIENT_BITS}
${HALF_ROUNDED}
${saturatedWgsl(dst)}
fn element(position: u32) -> i32 {
  if (is_padding(position)) { return 0; }
  let at = scale_index(position);
  let quotient = quotient_bits(${rounded(bits)}, ${rounded('scale[at]')});
  return saturated(${rounded('quotient')}, ${zeroPoint ? 'zero_point[at]' : '0'});
}
${storingMain(width, target)}`;
}
