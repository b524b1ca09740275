/**
 * A reduction of a picture's pixels, channels last, in one dispatch: a workgroup folds all terms of 16 neighbouring
 * groups of channels, its 16 slices of invocations every 16th term each, in blocks of four loads; then the slices in
 * order. For hardware adapters, where a chain of loads by few invocations is slower than a barrier.
 *
 *   src [outer, extent, inner] -> dst [outer, inner]
 */
import { FOLDED_WORKGROUP } from '../shared/prelude.ts';
import type { FoldText } from './operations.ts';

export const FOLD_COLUMNS = 16;
const SLICES = 16;
const BLOCK = 4;
/** Terms of one slice at most: 64 blocks. */
export const MOST_FOLD_TERMS = SLICES * 256;

export function workgroupFoldWgsl(text: FoldText): string {
  const { src, accumulator, dst, functions, identity } = text;
  return `${FOLDED_WORKGROUP}
struct Params {
  outer: u32,
  extent: u32,
  inner: u32,
  // Elements of the whole reduction.
  count: u32,
}
@group(0) @binding(0) var<storage, read> src: array<${src}>;
@group(0) @binding(1) var<storage, read_write> dst: array<${dst}>;
@group(0) @binding(2) var<uniform> params: Params;
${functions}
const COLUMNS = ${FOLD_COLUMNS}u;
const SLICES = ${SLICES}u;
var<workgroup> parts: array<${accumulator}, ${FOLD_COLUMNS * SLICES}>;

@compute @workgroup_size(${FOLD_COLUMNS * SLICES})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let blocks = (params.inner + COLUMNS - 1u) / COLUMNS;
  let id = folded_workgroup(workgroup, groups);
  let row = id / blocks;
  if (row >= params.outer) { return; }
  let column = id % blocks * COLUMNS + local % COLUMNS;
  let slice = local / COLUMNS;
  // Columns past the last one repeat it.
  let base = row * params.extent * params.inner + min(column, params.inner - 1u);
  var result = ${accumulator}(${identity});
  for (var b = 0u; b < ${256 / BLOCK}u; b++) {
    let first = b * ${BLOCK}u * SLICES + slice;
    if (first >= params.extent) { break; }
    var block = ${accumulator}(${identity});
    for (var j = 0u; j < ${BLOCK}u; j++) {
      let t = first + j * SLICES;
      let value = enter(src[base + min(t, params.extent - 1u) * params.inner], row);
      block = select(block, fold(block, value), t < params.extent);
    }
    result = fold(result, block);
  }
  parts[local] = result;
  workgroupBarrier();
  if ((slice == 0u) & (column < params.inner)) {
    for (var s = 1u; s < SLICES; s++) { result = fold(result, parts[s * COLUMNS + local % COLUMNS]); }
    dst[row * params.inner + column] = leave(result);
  }
}`;
}
