/**
 * Average pooling, one output element (of 1 or 4 channels) an invocation. The divisor is counted in integers and the
 * division is correctly rounded; a window that counts nothing gives NaN.
 *
 *   src [outer, src_depth, src_height, src_width, INNER] -> dst [outer, dst_depth, dst_height, dst_width, INNER]
 */
import { divideExactWgsl } from '../shared/exact-divide.ts';
import { FLAT_BUILTINS, FLAT_COMPUTE } from '../shared/flat-grid.ts';
import { elementType } from '../shared/image-view.ts';
import { maskLanesWgsl } from '../shared/prelude.ts';
import type { PoolProblem } from './problem.ts';
import { sumTapsWgsl } from './sum-taps.wgsl.ts';
import { windowTapsWgsl } from './window-taps.wgsl.ts';

export function directAverageWgsl(problem: PoolProblem): string {
  const { lanes } = problem.src;
  const type = elementType('f32', lanes);
  const bits = elementType('u32', lanes);
  const store = lanes === 4 ? 'mask_lanes(result, at.group)' : 'result';
  return `
${windowTapsWgsl(problem)}
const COUNT_INCLUDE_PAD = ${problem.countIncludePad};
@group(0) @binding(0) var<storage, read> src: array<${type}>;
@group(0) @binding(1) var<storage, read_write> dst: array<${bits}>;
@group(0) @binding(2) var<uniform> params: Params;
${divideExactWgsl(lanes)}
${lanes === 4 ? maskLanesWgsl(problem.channels, 'vec4u') : ''}
fn term(value: ${type}, factor: ${type}) -> ${type} { return value; }
${sumTapsWgsl(problem)}

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let at = window_of(index);
  let sum = sum_taps(at, ${type}());
  var counted_d = max(at.end_d, at.first_d) - at.first_d;
  var counted_h = max(at.end_h, at.first_h) - at.first_h;
  var counted_w = max(at.end_w, at.first_w) - at.first_w;
  if (COUNT_INCLUDE_PAD) {
    counted_d = end_tap(at.origin_d, params.src_depth + params.pad_back, KERNEL_D, DILATION_D);
    counted_h = end_tap(at.origin_h, params.src_height + params.pad_bottom, KERNEL_H, DILATION_H);
    counted_w = end_tap(at.origin_w, params.src_width + params.pad_right, KERNEL_W, DILATION_W);
  }
  let counted = counted_d * counted_h * counted_w;
  let quotient = bitcast<${bits}>(divide_exact(sum, max(counted, 1u)));
  let result = select(quotient, ${bits}(0x7fc00000u), counted == 0u);
  dst[index] = ${store};
}`;
}
