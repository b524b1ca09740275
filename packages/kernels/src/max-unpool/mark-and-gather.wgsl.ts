/**
 * Max unpooling in three passes over `marks`, one u32 an output: cleared, then set to the largest number (from 1) of
 * the elements of src that want it, then read back to fetch that element. A maximum of integers does not depend on
 * the order of invocations: where several elements want one place the last of src wins, in every run.
 *
 *   src, indices (int64 as two words) [sources], marks, dst [outputs]
 *
 * Indices out of range, -1 among them, are dropped.
 */
import { FLAT_BUILTINS, FLAT_COMPUTE, FLAT_INDEX } from '../shared/flat-grid.ts';

export const CLEAR_MARKS_WGSL = `
struct Params { total: u32, unused0: u32, unused1: u32, unused2: u32 }
@group(0) @binding(0) var<storage, read_write> marks: array<u32>;
@group(0) @binding(1) var<uniform> params: Params;
${FLAT_INDEX}
${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index < params.total) { marks[index] = 0u; }
}`;

export const MARK_WGSL = `
struct Params {
  total: u32,
  inner_total: u32,
  inner_depth: u32,
  inner_height: u32,
  inner_width: u32,
  dst_depth: u32,
  dst_height: u32,
  dst_width: u32,
}
@group(0) @binding(0) var<storage, read> indices: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> marks: array<atomic<u32>>;
@group(0) @binding(2) var<uniform> params: Params;
${FLAT_INDEX}
${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let place = indices[index];
  if (place.y != 0u || place.x >= params.inner_total) { return; }
  let w = place.x % params.inner_width;
  let row = place.x / params.inner_width;
  let h = row % params.inner_height;
  let level = row / params.inner_height;
  let d = level % params.inner_depth;
  if (w >= params.dst_width || h >= params.dst_height || d >= params.dst_depth) { return; }
  let plane = level / params.inner_depth * params.dst_depth + d;
  atomicMax(&marks[(plane * params.dst_height + h) * params.dst_width + w], index + 1u);
}`;

export const GATHER_MARKED_WGSL = `
struct Params { total: u32, unused0: u32, unused1: u32, unused2: u32 }
@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read> marks: array<u32>;
@group(0) @binding(2) var<storage, read_write> dst: array<u32>;
@group(0) @binding(3) var<uniform> params: Params;
${FLAT_INDEX}
${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let mark = marks[index];
  var value = 0u;
  if (mark != 0u) { value = src[mark - 1u]; }
  dst[index] = value;
}`;
