/**
 * Max pooling that also tells where each maximum lies, one output element an invocation, nchw. The first of equal
 * maxima counts, in the order of the taps; of a window with nothing but NaN the first NaN. A window of padding alone
 * has the index -1.
 *
 *   src [outer, src_depth, src_height, src_width] -> dst, indices [outer, dst_depth, dst_height, dst_width]
 *
 * An index is int64, here its two words, the low one first. It counts over all of src, outer included.
 */
import { FLAT_BUILTINS, FLAT_COMPUTE } from '../shared/flat-grid.ts';
import { poolKeysWgsl } from './keys.wgsl.ts';
import { LOWEST_BITS, type PoolProblem } from './problem.ts';
import { windowTapsWgsl } from './window-taps.wgsl.ts';

export function maxIndicesWgsl(problem: PoolProblem): string {
  return `
const COLUMN_MAJOR = ${problem.indices === 'column-major'};
${windowTapsWgsl(problem)}
const LOWEST = ${LOWEST_BITS[problem.element]}u;
@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read_write> dst: array<u32>;
@group(0) @binding(2) var<storage, read_write> indices: array<vec2u>;
@group(0) @binding(3) var<uniform> params: Params;
${poolKeysWgsl(problem.element, 'u32')}

// The row-major index as it is, or with depth counting fastest, then height, then width.
fn ordered_index(position: u32) -> u32 {
  if (!COLUMN_MAJOR) { return position; }
  let row = position / params.src_width;
  let column = position % params.src_width;
  let level = row / params.src_height;
  let plane = level / params.src_depth;
  let line = (plane * params.src_width + column) * params.src_height + row % params.src_height;
  return line * params.src_depth + level % params.src_depth;
}

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let at = window_of(index);
  var best = 0u;
  var position = 0u;
  for (var kd = 0u; kd < KERNEL_D; kd++) {
    let plane = tap_plane(at, kd);
    let plane_inside = kd >= at.first_d && kd < at.end_d;
    for (var kh = 0u; kh < KERNEL_H; kh++) {
      let base = tap_row(at, plane, kh);
      let row_inside = plane_inside && kh >= at.first_h && kh < at.end_h;
      for (var kw = 0u; kw < KERNEL_W; kw++) {
        let offset = base + tap_column(at, kw);
        let key = to_key(src[offset]);
        if (row_inside && kw >= at.first_w && kw < at.end_w && key > best) {
          best = key;
          position = offset;
        }
      }
    }
  }
  dst[index] = select(from_key(best), LOWEST, best == 0u);
  indices[index] = select(vec2u(0xffffffffu), vec2u(ordered_index(position), 0u), best != 0u);
}`;
}
