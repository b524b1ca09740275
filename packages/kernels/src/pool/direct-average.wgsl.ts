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
  const store = spec.lanes === 4 ? 'mask_lanes(result, at.group)' : 'result';
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
  let at = window_of(index);
  var sum = ${type}();
  for (var row_block = 0u; row_block < ROW_BLOCKS; row_block++) {
    var block = ${type}();
    for (var r = 0u; r < ROWS; r++) {
      let kh = row_block * ROWS + r;
      let base = tap_row(at, kh);
      let row_inside = kh >= at.first_h && kh < at.end_h;
      var row = ${type}();
      for (var s = 0u; s < SEGMENTS; s++) {
        var segment = ${type}();
        for (var c = 0u; c < COLUMNS; c++) {
          let kw = s * COLUMNS + c;
          let inside = row_inside && kw >= at.first_w && kw < at.end_w;
          let value = src[(base + tap_column(at, kw)) * INNER + at.group];
          segment = segment + select(${type}(), value, inside);
        }
        row = row + segment;
      }
      block = block + row;
    }
    sum = sum + block;
  }
  var counted_h = max(at.end_h, at.first_h) - at.first_h;
  var counted_w = max(at.end_w, at.first_w) - at.first_w;
  if (COUNT_INCLUDE_PAD) {
    counted_h = end_tap(at.origin_h, params.src_height + params.pad_bottom, KERNEL_H, DILATION_H);
    counted_w = end_tap(at.origin_w, params.src_width + params.pad_right, KERNEL_W, DILATION_W);
  }
  let counted = counted_h * counted_w;
  let quotient = bitcast<${bits}>(divide_exact(sum, max(counted, 1u)));
  let result = select(quotient, ${bits}(0x7fc00000u), counted == 0u);
  dst[index] = ${store};
}`;
}
