/**
 * One pass of a reduction, without workgroup memory: an invocation folds one slice of at most 256 terms.
 *
 *   src [outer, extent, inner] -> dst [outer, slices, inner]
 *   dst[o, s, i] = fold over t < terms of src[o, s + t*slices, i],  terms = ceil((extent - s) / slices)
 *
 * Terms are folded in blocks of 16, so that sixteen loads are in flight and no chain of sums is longer than 16.
 */
import { FLAT_BUILTINS, FLAT_COMPUTE } from '../shared/flat-grid.ts';
import type { ElementType } from '../shared/image-view.ts';
import { SLICES_WGSL } from './slices.wgsl.ts';

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
${SLICES_WGSL}
@group(0) @binding(0) var<storage, read> src: array<${spec.src}>;        // [outer, extent, inner]
@group(0) @binding(1) var<storage, read_write> dst: array<${spec.dst}>;  // [outer, slices, inner]
@group(0) @binding(${paramsBinding}) var<uniform> params: Params;
${spec.functions}
const BLOCK = ${FOLD_BLOCK}u;

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let slice = slice_of(index);
  var result = ${spec.accumulator}(${spec.identity});
  for (var b = 0u; b < 16u; b++) {
    if (b * BLOCK >= slice.terms) { break; }
    var block = ${spec.accumulator}(${spec.identity});
    for (var j = 0u; j < BLOCK; j++) {
      let t = b * BLOCK + j;
      let value = enter(src[slice.base + min(t, slice.terms - 1u) * slice.stride], slice.row);
      block = select(block, fold(block, value), t < slice.terms);
    }
    result = fold(result, block);
  }
  dst[index] = leave(result);
}`;
}
