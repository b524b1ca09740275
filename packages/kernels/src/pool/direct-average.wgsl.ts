/**
 * Average pooling, one output element (of 1 or 4 channels) an invocation. Sums go by rows: the taps of a row in
 * segments of at most 256, segments into the row, at most 256 rows into a block, blocks into the result, so that
 * no chain is longer than 256. The divisor is counted in integers and the division is correctly rounded; a window
 * that counts nothing gives NaN.
 *
 *   src [outer, src_height, src_width, INNER] -> dst [outer, dst_height, dst_width, INNER]
 */

import { divideExactWgsl } from '../shared/exact-divide.ts';
import { FLAT_BUILTINS, FLAT_COMPUTE } from '../shared/flat-grid.ts';
import { elementType } from '../shared/image-view.ts';
import { maskLanesWgsl } from '../shared/prelude.ts';
import { type WindowSpec, windowTapsWgsl } from './window-taps.wgsl.ts';

export interface AverageSpec extends WindowSpec {
  readonly countIncludePad: boolean;
}

export const CHAIN = 256;

export function directAverageWgsl(spec: AverageSpec): string {
  const type = elementType('f32', spec.lanes);
  const bits = elementType('u32', spec.lanes);
  const store = spec.lanes === 4 ? 'mask_lanes(result, group)' : 'result';
  return `
${windowTapsWgsl(spec)}
const COUNT_INCLUDE_PAD = ${spec.countIncludePad};
const ROW_BLOCKS = ${Math.ceil(spec.kernelH / CHAIN)}u;
const ROWS = ${Math.min(spec.kernelH, CHAIN)}u;
const SEGMENTS = ${Math.ceil(spec.kernelW / CHAIN)}u;
const COLUMNS = ${Math.min(spec.kernelW, CHAIN)}u;
@group(0) @binding(0) var<storage, read> src: array<${type}>;
@group(0) @binding(1) var<storage, read_write> dst: array<${bits}>;
@group(0) @binding(2) var<uniform> params: Params;
${divideExactWgsl(spec.lanes)}
${spec.lanes === 4 ? maskLanesWgsl(spec.channels, 'vec4u') : ''}

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let group = index % INNER;
  let pixel = index / INNER;
  let ow = pixel % params.dst_width;
  let row_index = pixel / params.dst_width;
  let oh = row_index % params.dst_height;
  let outer = row_index / params.dst_height;
  let origin_h = i32(oh * STRIDE_H) - i32(params.pad_top);
  let origin_w = i32(ow * STRIDE_W) - i32(params.pad_left);
  let first_h = first_tap(origin_h, DILATION_H);
  let first_w = first_tap(origin_w, DILATION_W);
  let end_h = end_tap(origin_h, params.src_height, KERNEL_H, DILATION_H);
  let end_w = end_tap(origin_w, params.src_width, KERNEL_W, DILATION_W);
  var sum = ${type}();
  for (var row_block = 0u; row_block < ROW_BLOCKS; row_block++) {
    var block = ${type}();
    for (var r = 0u; r < ROWS; r++) {
      let kh = row_block * ROWS + r;
      let ih = u32(origin_h + i32(tap_inside(kh, first_h, end_h) * DILATION_H));
      let base = (outer * params.src_height + ih) * params.src_width;
      let row_inside = kh >= first_h && kh < end_h;
      var row = ${type}();
      for (var s = 0u; s < SEGMENTS; s++) {
        var segment = ${type}();
        for (var c = 0u; c < COLUMNS; c++) {
          let kw = s * COLUMNS + c;
          let iw = u32(origin_w + i32(tap_inside(kw, first_w, end_w) * DILATION_W));
          let inside = row_inside && kw >= first_w && kw < end_w;
          segment = segment + select(${type}(), src[(base + iw) * INNER + group], inside);
        }
        row = row + segment;
      }
      block = block + row;
    }
    sum = sum + block;
  }
  var counted_h = max(end_h, first_h) - first_h;
  var counted_w = max(end_w, first_w) - first_w;
  if (COUNT_INCLUDE_PAD) {
    counted_h = end_tap(origin_h, params.src_height + params.pad_bottom, KERNEL_H, DILATION_H);
    counted_w = end_tap(origin_w, params.src_width + params.pad_right, KERNEL_W, DILATION_W);
  }
  let counted = counted_h * counted_w;
  let quotient = bitcast<${bits}>(divide_exact(sum, max(counted, 1u)));
  let result = select(quotient, ${bits}(0x7fc00000u), counted == 0u);
  dst[index] = ${store};
}`;
}
