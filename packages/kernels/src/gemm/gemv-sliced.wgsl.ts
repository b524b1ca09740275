/**
 * Few rows against a large matrix, through workgroup memory: the lanes of a workgroup are `quads` vec4 columns by
 * `slices` slices of k, each for `rows` rows of the result. An invocation has the weights of several steps under way at
 * once, since a chain of loads from memory is what such a product waits for. The slices' sums are added in slice order,
 * eight at a time and then those, so the result does not depend on scheduling.
 */
import { gemmAccessWgsl } from './access.wgsl.ts';
import { BLOCK_TERMS, type GemmSpec } from './spec.ts';

export interface SliceTile {
  /** vec4 columns of a workgroup. */
  readonly quads: number;
  /** Slices of k, a multiple of 8. */
  readonly slices: number;
  /** Rows of the result that share each load of weights. */
  readonly rows: number;
  /** Steps of four terms whose loads are under way at once. */
  readonly ahead: number;
}

/** Slices that one invocation adds up first. */
const SLICE_GROUP = 8;

export function slicedInvocations({ quads, slices }: SliceTile): number {
  return quads * slices;
}

export function slicedBytes({ quads, slices, rows }: SliceTile): number {
  return 16 * quads * slices * rows;
}

export function gemvSlicedWgsl(spec: GemmSpec, tile: SliceTile): string {
  const { quads, slices, rows, ahead } = tile;
  const groups = slices / SLICE_GROUP;
  const row = (line: (i: number) => string): string => lines(rows, line);
  return `${gemmAccessWgsl(spec)}
const ROWS = ${rows}u;
const QUADS = ${quads}u;
const SLICES = ${slices}u;
const AHEAD = ${ahead}u;
const STEPS_A_BLOCK = ${BLOCK_TERMS / 4 / ahead}u;
var<workgroup> partial: array<array<array<vec4f, ${quads}>, ${slices}>, ${rows}>;

@compute @workgroup_size(${slicedInvocations(tile)})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let index = folded_workgroup(workgroup, workgroups);
  let m0 = index / params.n_tiles % params.m_tiles * ROWS;
  let b = index / params.n_tiles / params.m_tiles;
  if (b >= params.batch) { return; }
  let matrix = matrices_of(b);
  let quad = local % QUADS;
  let slice = local / QUADS;
  let n4 = index % params.n_tiles * QUADS + quad;
  let steps = (k_quads() + AHEAD * SLICES - 1u) / (AHEAD * SLICES);
  let column = weights_column(matrix.y, n4);
  ${row((i) => `let row${i} = src_row(matrix.x, min(m0 + ${i}u, params.gemm_m - 1u));`)}
  ${row((i) => `var sum${i} = vec4f();\n  var c${i} = vec4f();`)}
  for (var step = 0u; step < steps; step++) {
    // Neighbouring slices read neighbouring rows; steps past the end repeat the last one and are left out.
    ${lines(ahead, (u) => loadsWgsl(u, rows))}
    ${lines(ahead, (u) => row((i) => `c${i} = select(c${i}, ${fourTerms(u, i)}, live${u});`))}
    if (step % STEPS_A_BLOCK == STEPS_A_BLOCK - 1u) {
      ${row((i) => `sum${i} = sum${i} + c${i};\n      c${i} = vec4f();`)}
    }
  }
  ${row((i) => `partial[${i}][slice][quad] = sum${i} + c${i};`)}
  workgroupBarrier();
  let r = local / (QUADS * ${groups}u);
  let first = local / QUADS % ${groups}u * ${SLICE_GROUP}u;
  if (r < ROWS) {
    var total = partial[r][first][quad];
    for (var s = 1u; s < ${SLICE_GROUP}u; s++) { total = total + partial[r][first + s][quad]; }
    partial[r][first][quad] = total;
  }
  workgroupBarrier();
  if (slice < ROWS) {
    var total = partial[slice][0][quad];
    for (var g = 1u; g < ${groups}u; g++) { total = total + partial[slice][g * ${SLICE_GROUP}u][quad]; }
    store_dst(total, b, m0 + slice, n4);
  }
}`;
}

function loadsWgsl(u: number, rows: number): string {
  return `let k${u} = (step * AHEAD + ${u}u) * SLICES + slice;
    let live${u} = k${u} < k_quads();
    let at${u} = min(k${u}, k_quads() - 1u);
    ${lines(rows, (i) => `let a${u}_${i} = load_src(row${i}, at${u});`)}
    ${lines(4, (lane) => `let w${u}_${lane} = load_weights(column, 4u * at${u} + ${lane}u);`)}`;
}

function fourTerms(u: number, i: number): string {
  return ['x', 'y', 'z', 'w'].reduce(
    (sum, lane, index) => `fma(vec4f(a${u}_${i}.${lane}), w${u}_${index}, ${sum})`,
    `c${i}`,
  );
}

function lines(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join('\n    ');
}
