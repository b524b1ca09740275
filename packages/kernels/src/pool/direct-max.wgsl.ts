/**
 * Max pooling, one output element (of 1 or 4 channels) an invocation. A tap in the padding is replaced by the
 * nearest tap inside the input, which leaves the maximum unchanged and needs no branch. Values are compared as
 * ordered u32 keys and move bit for bit; NaN loses, a window of padding alone gives the lowest finite value.
 *
 *   src [outer, src_height, src_width, INNER] -> dst [outer, dst_height, dst_width, INNER]
 */
import { FLAT_BUILTINS, FLAT_COMPUTE } from '../shared/flat-grid.ts';
import { orderedBitsWgsl } from '../shared/ordered-bits.ts';
import { maskLanesWgsl } from '../shared/prelude.ts';
import { type WindowSpec, windowTapsWgsl } from './window-taps.wgsl.ts';

export function directMaxWgsl(spec: WindowSpec): string {
  const type = spec.lanes === 4 ? 'vec4u' : 'u32';
  const store = spec.lanes === 4 ? 'mask_lanes(result, group)' : 'result';
  return `
${windowTapsWgsl(spec)}
@group(0) @binding(0) var<storage, read> src: array<${type}>;
@group(0) @binding(1) var<storage, read_write> dst: array<${type}>;
@group(0) @binding(2) var<uniform> params: Params;
${orderedBitsWgsl(type, 'loses')}
${spec.lanes === 4 ? maskLanesWgsl(spec.channels, 'vec4u') : ''}

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let group = index % INNER;
  let pixel = index / INNER;
  let ow = pixel % params.dst_width;
  let row = pixel / params.dst_width;
  let oh = row % params.dst_height;
  let outer = row / params.dst_height;
  let origin_h = i32(oh * STRIDE_H) - i32(params.pad_top);
  let origin_w = i32(ow * STRIDE_W) - i32(params.pad_left);
  let first_h = first_tap(origin_h, DILATION_H);
  let first_w = first_tap(origin_w, DILATION_W);
  let end_h = end_tap(origin_h, params.src_height, KERNEL_H, DILATION_H);
  let end_w = end_tap(origin_w, params.src_width, KERNEL_W, DILATION_W);
  var best = ${type}(0u);
  for (var kh = 0u; kh < KERNEL_H; kh++) {
    let ih = u32(origin_h + i32(tap_inside(kh, first_h, end_h) * DILATION_H));
    let base = (outer * params.src_height + ih) * params.src_width;
    for (var kw = 0u; kw < KERNEL_W; kw++) {
      let iw = u32(origin_w + i32(tap_inside(kw, first_w, end_w) * DILATION_W));
      best = max(best, to_key(src[(base + iw) * INNER + group]));
    }
  }
  let empty = first_h >= end_h || first_w >= end_w;
  let result = select(from_key(best), ${type}(0xff7fffffu), empty);
  dst[index] = ${store};
}`;
}
