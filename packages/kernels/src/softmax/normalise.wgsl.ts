/**
 * Last pass of softmax: every element against the statistics of its row.
 *
 *   statistics [outer, inner] = (m, s): s * exp(m) is the sum of the row's exponentials
 *   softmax      dst = exp(src - m) / s
 *   log-softmax  dst = (src - m) - log(s)
 */
import { FLAT_BUILTINS, FLAT_COMPUTE, FLAT_INDEX } from '../shared/flat-grid.ts';
import { mathWgsl } from '../shared/math.wgsl.ts';

export interface NormaliseSpec {
  readonly logarithm: boolean;
}

export function normaliseWgsl(spec: NormaliseSpec): string {
  return `
const LOGARITHM = ${spec.logarithm};
struct Params { total: u32, extent: u32, inner: u32, pad0: u32 }
@group(0) @binding(0) var<storage, read> src: array<f32>;           // [outer, extent, inner]
@group(0) @binding(1) var<storage, read> statistics: array<vec2f>;  // [outer, inner]
@group(0) @binding(2) var<storage, read_write> dst: array<f32>;     // [outer, extent, inner]
@group(0) @binding(3) var<uniform> params: Params;
${FLAT_INDEX}
${mathWgsl(['m_log'])}

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let i = index % params.inner;
  let o = index / params.inner / params.extent;
  let row = statistics[o * params.inner + i];
  let shifted = src[index] - row.x;
  if (LOGARITHM) {
    dst[index] = shifted - m_log(row.y);
  } else {
    dst[index] = exp(shifted) / row.y;
  }
}`;
}
