/**
 * The sum of a function of the taps of a window, padding left out. It goes by rows: the taps of a row in segments of
 * at most 256, segments into the row, at most 256 rows into a block, blocks into the plane, and planes the same way,
 * so that no chain is longer than 256.
 */
import { elementType } from '../shared/image-view.ts';
import type { PoolProblem } from './problem.ts';

export const CHAIN = 256;

/** WGSL of `fn sum_taps(at: Window, factor: T) -> T`, the sum of `term(value, factor)` over the window. */
export function sumTapsWgsl(problem: PoolProblem): string {
  const { depth, height, width } = problem;
  const type = elementType('f32', problem.src.lanes);
  return `
const PLANE_BLOCKS = ${Math.ceil(depth.kernel / CHAIN)}u;
const PLANES = ${Math.min(depth.kernel, CHAIN)}u;
const ROW_BLOCKS = ${Math.ceil(height.kernel / CHAIN)}u;
const ROWS = ${Math.min(height.kernel, CHAIN)}u;
const SEGMENTS = ${Math.ceil(width.kernel / CHAIN)}u;
const COLUMNS = ${Math.min(width.kernel, CHAIN)}u;

fn sum_row(at: Window, base: u32, row_inside: bool, factor: ${type}) -> ${type} {
  var row = ${type}();
  for (var s = 0u; s < SEGMENTS; s++) {
    var segment = ${type}();
    for (var c = 0u; c < COLUMNS; c++) {
      let kw = s * COLUMNS + c;
      let inside = row_inside && kw >= at.first_w && kw < at.end_w;
      let value = src[(base + tap_column(at, kw)) * INNER + at.group];
      segment = segment + select(${type}(), term(value, factor), inside);
    }
    row = row + segment;
  }
  return row;
}
fn sum_plane(at: Window, kd: u32, factor: ${type}) -> ${type} {
  let number = tap_plane(at, kd);
  let plane_inside = kd >= at.first_d && kd < at.end_d;
  var plane = ${type}();
  for (var b = 0u; b < ROW_BLOCKS; b++) {
    var block = ${type}();
    for (var r = 0u; r < ROWS; r++) {
      let kh = b * ROWS + r;
      let row_inside = plane_inside && kh >= at.first_h && kh < at.end_h;
      block = block + sum_row(at, tap_row(at, number, kh), row_inside, factor);
    }
    plane = plane + block;
  }
  return plane;
}
fn sum_taps(at: Window, factor: ${type}) -> ${type} {
  var sum = ${type}();
  for (var b = 0u; b < PLANE_BLOCKS; b++) {
    var block = ${type}();
    for (var p = 0u; p < PLANES; p++) {
      block = block + sum_plane(at, b * PLANES + p, factor);
    }
    sum = sum + block;
  }
  return sum;
}`;
}
