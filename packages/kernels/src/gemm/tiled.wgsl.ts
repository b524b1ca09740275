/**
 * Matrix product through workgroup memory: a workgroup makes a tile of blockM x blockN outputs, staging blockK terms of
 * both operands a step, those of the next step on their way while it multiplies. src is staged as [k][m / 4], so that a
 * vec4 is four rows of one term, weights as [k][n / 4]. An invocation owns
 * every TY-th four rows and every TX-th vec4 column.
 */
import { evenBlocks } from '../shared/even-blocks.ts';
import { gemmAccessWgsl } from './access.wgsl.ts';
import { BLOCK_TERMS, type GemmSpec } from './spec.ts';
import { cellLines, columnLines, outerProductLines, type RegisterTile, rowLines } from './tile-lines.ts';
import { keepTransposedLines, lanePlaceLines, transposedQuad, transposedRow } from './transposed-tile.ts';

export interface WorkgroupTile {
  readonly blockM: number;
  readonly blockN: number;
  /** A multiple of 4 that divides 256. */
  readonly blockK: number;
  /** Rows in fours. */
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
  return 16 * tile.blockK * (transposedRow(tile.blockM) + tile.blockN / 4);
}

export function tiledWgsl(spec: GemmSpec, tile: WorkgroupTile): string {
  const { blockM, blockN, blockK, registers } = tile;
  const shape = workgroupShape(tile);
  const invocations = shape.m * shape.n;
  const kQuads = blockK / 4;
  const nQuads = blockN / 4;
  const walk = walkOf(spec, tile);
  const staging: Staging = { invocations, kQuads, nQuads, exact: walk.exact };
  const staged = {
    src: { rows: (blockM * kQuads) / invocations, columns: 1 },
    weights: { rows: 1, columns: (blockK * nQuads) / invocations },
  };
  return `${gemmAccessWgsl(spec)}
var<workgroup> tile_src: array<array<vec4f, ${transposedRow(blockM)}>, ${blockK}>; // [k][m / 4]
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
  ${lanePlaceLines('local', { x: shape.n, y: shape.m })}
  ${rowLines(staged.src, (q) => `var next_a${q} = vec4f();`)}
  ${columnLines(staged.weights, (q) => `var next_b${q} = vec4f();`)}
  ${cellLines(registers, (row, column) => `var sum${row}_${column} = vec4f();`)}
  for (var block = 0u; block < ${walk.blocks}; block++) {
    ${cellLines(registers, (row, column) => `var c${row}_${column} = vec4f();`)}
    let first = block * ${walk.blockTiles}u;
    let steps = ${walk.steps};
    // One step more than tiles in the block: a step loads its tile, then multiplies the one before.
    for (var step = 0u; step <= steps; step++) {
      if (step > 0u) {
        ${rowLines(staged.src, (q) => keepSrc(q, staging))}
        ${columnLines(staged.weights, (q) => keepWeights(q, staging))}
      }
      workgroupBarrier();
      if (step < steps) {
        let tile = first + step;
        ${rowLines(staged.src, (q) => loadSrc(q, staging))}
        ${columnLines(staged.weights, (q) => loadWeights(q, staging))}
      }
      if (step > 0u) {
        ${Array.from({ length: blockK }, (_, k) => multiplyTerm(tile, k)).join('\n')}
      }
      workgroupBarrier();
    }
    ${cellLines(registers, (row, column) => `sum${row}_${column} = sum${row}_${column} + c${row}_${column};`)}
  }
  ${cellLines(registers, (row, column) => `store_dst(sum${row}_${column}, b, m0 + 4u * (ty + ${Math.floor(row / 4) * shape.m}u) + ${row % 4}u, n0 + tx + ${column * shape.n}u);`)}
}`;
}

interface Walk {
  /** WGSL of the number of blocks, and of the tiles along k in the block that begins with tile `first`. */
  readonly blocks: string;
  readonly steps: string;
  /** Tiles along k of a block, at most BLOCK_TERMS terms; the last block may have fewer. */
  readonly blockTiles: number;
  /** Whether every tile is full of terms. */
  readonly exact: boolean;
}

/** Along k in blocks. Where k is compiled in they are alike, and their loops of a known length, which is quicker. */
function walkOf({ gemmK }: GemmSpec, { blockK }: WorkgroupTile): Walk {
  const most = BLOCK_TERMS / blockK;
  if (gemmK === undefined) {
    const tiles = `(gemm_k() + ${blockK - 1}u) / ${blockK}u`;
    const blocks = `(gemm_k() + ${BLOCK_TERMS - 1}u) / ${BLOCK_TERMS}u`;
    return { blocks, steps: `min(${most}u, ${tiles} - first)`, blockTiles: most, exact: false };
  }
  const tiles = Math.ceil(gemmK / blockK);
  const { blocks, blockSteps: blockTiles } = evenBlocks(tiles, most);
  return {
    ...{ blocks: `${blocks}u`, steps: `${blockTiles}u`, blockTiles },
    exact: blocks * blockTiles * blockK === gemmK,
  };
}

/** What the lines of loads and stores into the tiles read. */
interface Staging {
  readonly invocations: number;
  readonly kQuads: number;
  readonly nQuads: number;
  readonly exact: boolean;
}

function loadSrc(q: number, { invocations, kQuads, exact }: Staging): string {
  const load = `next_a${q} = load_src(src_row(matrix.x, min(m0 + at / ${kQuads}u, params.gemm_m - 1u)), k4);`;
  return `{
  let at = local + ${q * invocations}u;
  let k4 = tile * ${kQuads}u + at % ${kQuads}u;
  ${exact ? load : `next_a${q} = vec4f();\n  if (k4 < k_quads()) { ${load} }`}
}`;
}

/** Four terms of one row into four rows of the tile. */
function keepSrc(q: number, { invocations, kQuads }: Staging): string {
  const at = `(local + ${q * invocations}u)`;
  return keepTransposedLines('tile_src', {
    ...{ quad: `(${at} % ${kQuads}u)`, row: `${at} / ${kQuads}u`, register: `next_a${q}` },
  });
}

function loadWeights(q: number, { invocations, kQuads, nQuads, exact }: Staging): string {
  const load = `next_b${q} = load_weights(weights_column(matrix.y, n0 + at % ${nQuads}u), k);`;
  return `{
  let at = local + ${q * invocations}u;
  let k = tile * ${4 * kQuads}u + at / ${nQuads}u;
  ${exact ? load : `next_b${q} = vec4f();\n  if (k < 4u * k_quads()) { ${load} }`}
}`;
}

function keepWeights(q: number, { invocations, nQuads }: Staging): string {
  const at = `(local + ${q * invocations}u)`;
  return `tile_weights[${at} / ${nQuads}u][${at} % ${nQuads}u] = next_b${q};`;
}

function multiplyTerm(tile: WorkgroupTile, k: number): string {
  const shape = workgroupShape(tile);
  return outerProductLines(
    tile.registers,
    (row) => `tile_src[${k}][${transposedQuad(k, `ty + ${row * shape.m}u`)}]`,
    (column) => `tile_weights[${k}][tx + ${column * shape.n}u]`,
  );
}
