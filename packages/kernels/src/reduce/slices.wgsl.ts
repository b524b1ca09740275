/**
 * The terms of one slice of a reduction [outer, extent, inner] -> [outer, slices, inner]: slice s takes the terms
 * s, s + slices, s + 2*slices, ..., that is ceil((extent - s) / slices) of them.
 */
import { FLAT_INDEX } from '../shared/flat-grid.ts';

/** `struct Params` (8 words; `count`: elements of the whole reduction) and `fn slice_of(index: u32) -> Slice`. */
export const SLICES_WGSL = `
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
struct Slice {
  row: u32,     // in [0, outer)
  terms: u32,
  base: u32,    // src index of the first term
  stride: u32,  // from term to term
}
${FLAT_INDEX}
fn slice_of(index: u32) -> Slice {
  let at = index / params.inner;
  let s = at % params.slices;
  let row = at / params.slices;
  return Slice(
    row,
    (params.extent - s + params.slices - 1u) / params.slices,
    (row * params.extent + s) * params.inner + index % params.inner,
    params.slices * params.inner,
  );
}`;
