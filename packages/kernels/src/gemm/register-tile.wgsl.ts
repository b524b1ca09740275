/**
 * Matrix product without workgroup memory: one invocation makes a tile of `rows` x 4 * `columns` outputs from
 * storage, in steps of four along k. Invocations run along n, so neighbours share rows of src.
 *   dst[m, n] = sum_k src[m, k] * weights[k, n]
 */
import { gemmAccessWgsl } from './access.wgsl.ts';
import { quadBlocks } from './blocks.ts';
import type { GemmSpec } from './spec.ts';
import { cellLines, columnLines, multiplyLines, type RegisterTile, rowLines } from './tile-lines.ts';

export const REGISTER_TILE_INVOCATIONS = 64;

export function registerTileWgsl(spec: GemmSpec, tile: RegisterTile): string {
  const blocks = quadBlocks(spec.gemmK);
  return `${gemmAccessWgsl(spec)}
const RAGGED = ${blocks.ragged};

@compute @workgroup_size(${REGISTER_TILE_INVOCATIONS})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let index = folded_workgroup(workgroup, workgroups) * ${REGISTER_TILE_INVOCATIONS}u + local;
  let n_tile = index % params.n_tiles;
  let m_tile = index / params.n_tiles % params.m_tiles;
  let b = index / params.n_tiles / params.m_tiles;
  if (b >= params.batch) { return; }
  let matrix = matrices_of(b);
  let first_m = m_tile * ${tile.rows}u;
  let first_n = n_tile * ${tile.columns}u; // in vec4
  ${rowLines(tile, (row) => `let row${row} = src_row(matrix.x, min(first_m + ${row}u, params.gemm_m - 1u));`)}
  ${columnLines(tile, (column) => `let column${column} = weights_column(matrix.y, first_n + ${column}u);`)}
  ${cellLines(tile, (row, column) => `var sum${row}_${column} = vec4f();`)}
  for (var block = 0u; block < ${blocks.count}; block++) {
    ${cellLines(tile, (row, column) => `var c${row}_${column} = vec4f();`)}
    for (var step = 0u; step < ${blocks.steps}u; step++) {
      let k4 = block * ${blocks.steps}u + step;
      if (RAGGED && k4 >= k_quads()) { break; }
      ${rowLines(tile, (row) => `let a${row} = load_src(row${row}, k4);`)}
      ${multiplyLines(tile, (lane, column) => `load_weights(column${column}, 4u * k4 + ${lane}u)`)}
    }
    ${cellLines(tile, (row, column) => `sum${row}_${column} = sum${row}_${column} + c${row}_${column};`)}
  }
  // One copy of the store's text: it is long, and compiling it for every cell takes longer than running it.
  var cells = array<vec4f, ${tile.rows * tile.columns}>(${cellLines(tile, (row, column) => `sum${row}_${column},`)});
  for (var cell = 0u; cell < ${tile.rows * tile.columns}u; cell++) {
    store_dst(cells[cell], b, first_m + cell / ${tile.columns}u, first_n + cell % ${tile.columns}u);
  }
}`;
}
