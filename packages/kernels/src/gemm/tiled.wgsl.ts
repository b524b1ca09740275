/**
 * Matrix product through workgroup memory: a workgroup makes a tile of blockM x blockN outputs, staging blockK
 * terms of both operands a step. src is staged along k ([m][k / 4] vec4, rows padded by one vec4 against bank
 * conflicts), weights along n ([k][n / 4] vec4). An invocation owns every TY-th row and every TX-th vec4 column.
 */
import { gemmAccessWgsl } from './access.wgsl.ts';
import { BLOCK_TERMS, type GemmSpec } from './spec.ts';
import { cellLines, columnLines, multiplyLines, type RegisterTile, rowLines } from './tile-lines.ts';

export interface WorkgroupTile {
  readonly blockM: number;
  readonly blockN: number;
  /** A multiple of 4 that divides 256. */
  readonly blockK: number;
  readonly registers: RegisterTile;
}

/** Invocations of a workgroup along m and along n. */
export function workgroupShape(tile: WorkgroupTile): { readonly m: number; readonly n: number } {
  return {
    m: tile.blockM / tile.registers.rows,
    n: tile.blockN / 4 / tile.registers.columns,
  };
}

/** Bytes of workgroup memory. */
export function workgroupBytes(tile: WorkgroupTile): number {
  return 16 * (tile.blockM * (tile.blockK / 4 + 1) + (tile.blockK * tile.blockN) / 4);
}

export function tiledWgsl(spec: GemmSpec, tile: WorkgroupTile): string {
  const { blockM, blockN, blockK, registers } = tile;
  const shape = workgroupShape(tile);
  const invocations = shape.m * shape.n;
  const kQuads = blockK / 4;
  const nQuads = blockN / 4;
  const stepsABlock = BLOCK_TERMS / blockK;
  const staged = { rows: (blockM * kQuads) / invocations, columns: (blockK * nQuads) / invocations };
  return `${gemmAccessWgsl(spec)}
var<workgroup> tile_src: array<array<vec4f, ${kQuads + 1}>, ${blockM}>; // [m][k / 4]
var<workgroup> tile_weights: array<array<vec4f, ${nQuads}>, ${blockK}>; // [k][n / 4]

@compute @workgroup_size(${invocations})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let index = folded_workgroup(workgroup, workgroups);
  let m0 = index / params.n_tiles % params.m_tiles * ${blockM}u;
  let n0 = index % params.n_tiles * ${nQuads}u; // in vec4
  let b = index / params.n_tiles / params.m_tiles;
  if (b >= params.batch) { return; }
  let matrix = matrices_of(b);
  let tx = local % ${shape.n}u;
  let ty = local / ${shape.n}u;
  ${cellLines(registers, (row, column) => `var sum${row}_${column} = vec4f();`)}
  ${cellLines(registers, (row, column) => `var c${row}_${column} = vec4f();`)}
  let tiles = (k_quads() + ${kQuads - 1}u) / ${kQuads}u;
  for (var step = 0u; step < tiles; step++) {
    ${rowLines({ rows: staged.rows, columns: 1 }, (q) => stageSrc(q, invocations, kQuads))}
    ${columnLines({ rows: 1, columns: staged.columns }, (q) => stageWeights(q, invocations, nQuads, blockK))}
    workgroupBarrier();
    ${Array.from({ length: kQuads }, (_, quad) => multiplyQuad(tile, quad)).join('\n')}
    workgroupBarrier();
    if (step % ${stepsABlock}u == ${stepsABlock - 1}u) { // a block of ${BLOCK_TERMS} terms is full
      ${cellLines(registers, (row, column) => `sum${row}_${column} = sum${row}_${column} + c${row}_${column}; c${row}_${column} = vec4f();`)}
    }
  }
  ${cellLines(registers, (row, column) => `store_dst(sum${row}_${column} + c${row}_${column}, b, m0 + ty + ${row * shape.m}u, n0 + tx + ${column * shape.n}u);`)}
}`;
}

function stageSrc(q: number, invocations: number, kQuads: number): string {
  return `{
  let at = local + ${q * invocations}u;
  let row = at / ${kQuads}u;
  let quad = at % ${kQuads}u;
  let k4 = step * ${kQuads}u + quad;
  var value = vec4f();
  if (k4 < k_quads()) { value = load_src(src_row(matrix.x, min(m0 + row, params.gemm_m - 1u)), k4); }
  tile_src[row][quad] = value;
}`;
}

function stageWeights(q: number, invocations: number, nQuads: number, blockK: number): string {
  return `{
  let at = local + ${q * invocations}u;
  let row = at / ${nQuads}u;
  let quad = at % ${nQuads}u;
  let k = step * ${blockK}u + row;
  var value = vec4f();
  if (k < 4u * k_quads()) { value = load_weights(weights_column(matrix.y, n0 + quad), k); }
  tile_weights[row][quad] = value;
}`;
}

function multiplyQuad(tile: WorkgroupTile, quad: number): string {
  const shape = workgroupShape(tile);
  return `{
${rowLines(tile.registers, (row) => `let a${row} = tile_src[ty + ${row * shape.m}u][${quad}];`)}
${multiplyLines(tile.registers, (lane, column) => `tile_weights[${4 * quad + lane}][tx + ${column * shape.n}u]`)}
}`;
}
