/**
 * One pass of a reduction, without workgroup memory: an invocation folds one slice of at most 256 terms.
 *
 *   src [outer, extent, inner] -> dst [outer, slices, inner]
 *   dst[o, s, i] = fold over t < terms of src[o, s + t*slices, i],  terms = ceil((extent - s) / slices)
 *
 * Terms are folded in blocks of 16, so that sixteen loads are in flight and no chain of sums is longer than 16.
 */
import { FLAT_BUILTINS, FLAT_COMPUTE, FLAT_INDEX } from '../shared/flat-grid.ts';

import type { ElementType } from '../shared/image-view.ts';

export interface BlockFoldSpec {
  readonly src: ElementType;
  readonly accumulator: ElementType;
  readonly dst: ElementType;
  /**
   * Declares `fn enter(x: src, row: u32) -> accumulator` (row in [0, outer)), `fn fold(a, b) -> accumulator` and
   * `fn leave(x: accumulator) -> dst`.
   */
  readonly functions: string;
  /** One more operand that `functions` declares at `@binding(2)`; the parameters then follow at 3. */
  readonly sideOperand?: boolean;
  /** Accumulator of no terms. */
  readonly identity: string;
}

export const FOLD_BLOCK = 16;

export function blockFoldWgsl(spec: BlockFoldSpec): string {
  const paramsBinding = spec.sideOperand === true ? 3 : 2;
  return `
struct Params {
  total: u32,
  extent: u32,
  inner: u32,
  slices: u32,
  count: u32,
  pad0: u32,
  pad1: u32,
  pad2: u32,
}
@group(0) @binding(0) var<storage, read> src: array<${spec.src}>;        // [outer, extent, inner]
@group(0) @binding(1) var<storage, read_write> dst: array<${spec.dst}>;  // [outer, slices, inner]
@group(0) @binding(${paramsBinding}) var<uniform> params: Params;
${FLAT_INDEX}
${spec.functions}
const BLOCK = ${FOLD_BLOCK}u;

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let i = index % params.inner;
  let row = index / params.inner;
  let s = row % params.slices;
  let o = row / params.slices;
  let terms = (params.extent - s + params.slices - 1u) / params.slices;
  let base = (o * params.extent + s) * params.inner + i;
  let stride = params.slices * params.inner;
  var result = ${spec.accumulator}(${spec.identity});
  for (var b = 0u; b < 16u; b++) {
    if (b * BLOCK >= terms) { break; }
    var block = ${spec.accumulator}(${spec.identity});
    for (var j = 0u; j < BLOCK; j++) {
      let t = b * BLOCK + j;
      let value = enter(src[base + min(t, terms - 1u) * stride], o);
      block = select(block, fold(block, value), t < terms);
    }
    result = fold(result, block);
  }
  dst[index] = leave(result);
}`;
}
