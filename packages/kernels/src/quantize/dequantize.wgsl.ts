/** dst[i] = float32(src[i] - zero_point[s]) * scale[s], s = scale_index(i); padding lanes of `nhwc4` become zero. */
import type { GpuCapabilities } from '@onegpu/core';
import { elementwiseMain, itemsPerInvocation, paramsWgsl } from '../shared/elementwise.ts';
import { SCALE_FIELDS, SCALE_INDEX } from './scale-map.ts';

export function dequantizeWgsl(zeroPoint: boolean, target: GpuCapabilities): string {
  return `
@group(0) @binding(0) var<storage, read> src: array<i32>;
@group(0) @binding(1) var<storage, read> scale: array<f32>;
${zeroPoint ? '@group(0) @binding(2) var<storage, read> zero_point: array<i32>;' : ''}
@group(0) @binding(${zeroPoint ? 3 : 2}) var<storage, read_write> dst: array<f32>;
${paramsWgsl(zeroPoint ? 4 : 3, SCALE_FIELDS)}
${SCALE_INDEX}
fn element(position: u32) -> f32 {
  let at = scale_index(position);
  let number = f32(src[position] - ${zeroPoint ? 'zero_point[at]' : '0'}) * scale[at];
  return select(number, 0.0f, is_padding(position));
}
${elementwiseMain(itemsPerInvocation(target), 'dst[position] = element(position);')}`;
}
