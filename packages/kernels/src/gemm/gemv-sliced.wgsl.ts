/**
 * Few rows against a large matrix, through workgroup memory: the lanes of a workgroup are `quads` vec4 columns by
 * `slices` slices of k. Weights are read once a row, whole cache lines at a time; the slices' sums are added in
 * slice order, so the result does not depend on scheduling.
 */
import { gemmAccessWgsl } from './access.wgsl.ts';
import { BLOCK_TERMS, type GemmSpec } from './spec.ts';

export interface SliceTile {
  /** vec4 columns of a workgroup. */
  readonly quads: number;
  /** Slices of k. */
  readonly slices: number;
}

export function gemvSlicedWgsl(spec: GemmSpec, tile: SliceTile): string {
  const { quads, slices } = tile;
  return `${gemmAccessWgsl(spec)}
const STEPS_A_BLOCK = ${BLOCK_TERMS / 4}u;
var<workgroup> partial: array<array<vec4f, ${quads}>, ${slices}>;

@compute @workgroup_size(${quads * slices})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let index = folded_workgroup(workgroup, workgroups);
  let m = index / params.n_tiles % params.m_tiles;
  let b = index / params.n_tiles / params.m_tiles;
  if (b >= params.batch) { return; }
  let matrix = matrices_of(b);
  let quad = local % ${quads}u;
  let slice = local / ${quads}u;
  let n4 = index % params.n_tiles * ${quads}u + quad;
  let steps = (k_quads() + ${slices - 1}u) / ${slices}u;
  let row = src_row(matrix.x, m);
  let column = weights_column(matrix.y, n4);
  var sum = vec4f();
  var c = vec4f();
  for (var step = 0u; step < steps; step++) {
    let k4 = step * ${slices}u + slice; // neighbouring slices read neighbouring rows
    if (k4 < k_quads()) {
      let a = load_src(row, k4);
      c = fma(vec4f(a.x), load_weights(column, 4u * k4), c);
      c = fma(vec4f(a.y), load_weights(column, 4u * k4 + 1u), c);
      c = fma(vec4f(a.z), load_weights(column, 4u * k4 + 2u), c);
      c = fma(vec4f(a.w), load_weights(column, 4u * k4 + 3u), c);
    }
    if (step % STEPS_A_BLOCK == STEPS_A_BLOCK - 1u) {
      sum = sum + c;
      c = vec4f();
    }
  }
  partial[slice][quad] = sum + c;
  workgroupBarrier();
  if (slice == 0u) {
    var total = vec4f();
    for (var s = 0u; s < ${slices}u; s++) { total = total + partial[s][quad]; }
    store_dst(total, b, m, n4);
  }
}`;
}
