/**
 * Nearest resampling moves 32-bit words, so every bit pattern arrives as it left.
 *
 *   src [outer, src_a, MID, src_b, INNER] -> dst [outer, dst_a, MID, dst_b, INNER]
 *   dst[o, a, m, b, i] = src[o, taps[a], m, taps[b_taps + b], i]
 */
import { FLAT_BUILTINS, FLAT_COMPUTE } from '../shared/flat-grid.ts';
import { type ViewSpec, viewWgsl } from './view.wgsl.ts';

export function moveNearestWgsl(spec: ViewSpec): string {
  const type = spec.lanes === 4 ? 'vec4u' : 'u32';
  return `
${viewWgsl(spec)}
@group(0) @binding(0) var<storage, read> src: array<${type}>;
@group(0) @binding(1) var<storage, read> taps: array<u32>;
@group(0) @binding(2) var<storage, read_write> dst: array<${type}>;
@group(0) @binding(3) var<uniform> params: Params;

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let at = position_of(index);
  let row = src_row(at, taps[at.a], taps[params.b_taps + at.b]);
  for (var item = 0u; item < ITEMS; item++) {
    let i = at.block + item * BLOCKS;
    if (i < INNER) { dst[at.dst_row + i] = src[row + i]; }
  }
}`;
}
