/**
 * Implicit GEMM over workgroup memory, channels last: dst as a matrix [gemmM = output pixels, gemmN = output
 * channels], gemmK = (tap, channel) with the channel running first. The workgroup makes one tileM x tileN tile; its
 * slices take every `slices`-th tile of k each and are added in order at the end, so that few output tiles still
 * keep many invocations busy. Each slice sums blocks of at most 256 terms.
 *   A[m, k] = src[pixel of m at the tap of k, channel of k], never stored; B[k, n] = weights, packed in tiles
 * Without windows it is a plain product, and may be a batch of them: `matrices` of rows with weights of their own.
 */
import { cellLines, columnLines, multiplyLines, type RegisterTile, rowLines } from '../gemm/tile-lines.ts';
import { FOLDED_WORKGROUP } from '../shared/prelude.ts';
import { type GemmTile, sliceInvocations } from './gemm-tile.ts';
import { CONV_PARAMS_WGSL } from './plan.ts';
import type { ConvShortcut } from './shortcut.ts';
import { ownerOf, sliceSumWgsl } from './slice-sum.wgsl.ts';

export interface ImplicitGemmSpec {
  readonly tile: GemmTile;
  readonly kh: number;
  readonly kw: number;
  readonly strideH: number;
  readonly strideW: number;
  readonly dilationH: number;
  readonly dilationW: number;
  /** Whether a tap may lie outside the picture. */
  readonly padded: boolean;
  /** vec4 of channels. */
  readonly srcQuads: number;
  readonly dstQuads: number;
  /** Whether src is multiplied by `gate`, which `store` declares. */
  readonly gated: boolean;
  /** A second source behind the first along k; `store` declares it and its weights. */
  readonly shortcut?: Pick<ConvShortcut, 'ic' | 'strideH' | 'strideW'> | undefined;
  /** Workgroups that share one output tile, each over its own tiles of k. */
  readonly splits: number;
  /** Products in the batch, 1 by default; `params.rows` rows each, one behind the other in src and in the output. */
  readonly matrices?: number;
  /** `all` output pixels, or the `range` of them that the parameters `rows` and `row_begin` say. */
  readonly rows: 'all' | 'range';
  readonly paramsBinding: number;
  /** WGSL of the output (binding 2) and of `fn store(value: vec4f, m: u32, quad: u32)`, m counted from the first row, over all splits. */
  readonly store: string;
}

export function implicitGemmWgsl(spec: ImplicitGemmSpec): string {
  const { tile } = spec;
  const { cell } = tile;
  const invocations = sliceInvocations(tile);
  const kQuads = tile.tileK / 4;
  const loadRows = { rows: (tile.tileM * kQuads) / invocations, columns: 1 };
  const weightLoads = { rows: 1, columns: (tile.tileK * tile.tileN) / 4 / invocations };
  const chain = chainOf(spec);
  const { matrices = 1 } = spec;
  return `// src [batch, ih, iw, SRC_QUADS], weights [N_TILES, K_TILES, TILE_K, TILE_N / 4], dst [batch, oh, ow, DST_QUADS] of vec4f
${FOLDED_WORKGROUP}
${CONV_PARAMS_WGSL}
const TILE_M = ${tile.tileM}u;
const TILE_K = ${tile.tileK}u;
const K_QUADS = ${kQuads}u;
const N_QUADS = ${tile.tileN / 4}u;
const SLICES = ${tile.slices}u;
const SPLITS = ${spec.splits}u;
const MATRICES = ${matrices}u;
const INVOCATIONS = ${invocations}u;
const ROW_STEP = ${invocations / kQuads}u;
const TILES_X = ${tile.tileN / 4 / cell.columns}u;
const TILES_Y = ${tile.tileM / cell.rows}u;
const SRC_QUADS = ${spec.srcQuads}u;
const DST_QUADS = ${spec.dstQuads}u;
const ALL_QUADS = ${spec.kh * spec.kw * spec.srcQuads}u;
const K_TILES = ${chain.srcTiles}u;
${spec.shortcut === undefined ? '' : `const SHORTCUT_TILES = ${chain.shortcutTiles}u;\nconst SHORTCUT_QUADS = ${shortcutQuads(spec)}u;\n`}const N_TILES = ${Math.ceil((spec.dstQuads * 4) / tile.tileN)}u;

@group(0) @binding(0) var<storage, read> src: array<vec4f>;
@group(0) @binding(1) var<storage, read> weights: array<vec4f>;
@group(0) @binding(${spec.paramsBinding}) var<uniform> params: Params;
${spec.store}

var<workgroup> a_tile: array<array<array<vec4f, ${kQuads + 1}>, ${tile.tileM}>, ${tile.slices}>;
var<workgroup> b_tile: array<array<array<vec4f, ${tile.tileN / 4}>, ${tile.tileK}>, ${tile.slices}>;

@compute @workgroup_size(${invocations * tile.slices})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) count: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let id = folded_workgroup(workgroup, count);
  let n_tile = id % N_TILES;
  let m_tile = id / N_TILES % params.row_blocks;
  let part = id / N_TILES / params.row_blocks;
  if (part >= SPLITS * MATRICES) { return; }
  let split = part % SPLITS;
  let matrix = part / SPLITS;
  let slice = local / INVOCATIONS;
  let lane = local % INVOCATIONS;
  let tx = lane % TILES_X;
  let ty = lane / TILES_X;
  let load_quad = lane % K_QUADS;
  let load_row = lane / K_QUADS;
  ${rowLines(loadRows, (q) => pixelWgsl(spec, q))}
  ${columnLines(weightLoads, (q) => `var next_b${q} = vec4f();`)}
  ${cellLines(cell, (i, j) => `var sum${i}_${j} = vec4f();`)}
  for (var block = 0u; block < ${chain.blocks}u; block++) {
    ${cellLines(cell, (i, j) => `var c${i}_${j} = vec4f();`)}
    // One step more than tiles in the block: a step loads its tile, then multiplies the one before.
    for (var step = 0u; step < ${chain.tilesPerBlock + 1}u; step++) {
      if (step > 0u) {
        ${rowLines(loadRows, (q) => `a_tile[slice][load_row + ${q}u * ROW_STEP][load_quad] = next_a${q};`)}
        ${columnLines(weightLoads, (q) => `b_tile[slice][(lane + ${q}u * INVOCATIONS) / N_QUADS][(lane + ${q}u * INVOCATIONS) % N_QUADS] = next_b${q};`)}
      }
      workgroupBarrier();
      if (step < ${chain.tilesPerBlock}u) {
        let k_tile = ((block * ${chain.tilesPerBlock}u + step) * SPLITS + split) * SLICES + slice;
        ${spec.shortcut === undefined ? '' : `if (k_tile >= K_TILES) {\n        ${loadShortcutWgsl(spec, { loadRows, weightLoads })}\n        } else {`}
        let live = ${chain.exact || spec.shortcut !== undefined ? 'true' : 'k_tile < K_TILES'};
        ${shiftWgsl(spec)}
        ${rowLines(loadRows, (q) => `next_a${q} = vec4f();\n        if (${insideWgsl(spec, q)}) { next_a${q} = src[u32(origin${q} + shift)]${gateWgsl(spec, q)}; }`)}
        ${columnLines(weightLoads, (q) => `next_b${q} = vec4f();\n        if (live) { next_b${q} = weights[((matrix * N_TILES + n_tile) * K_TILES + k_tile) * TILE_K * N_QUADS + lane + ${q}u * INVOCATIONS]; }`)}
        ${spec.shortcut === undefined ? '' : '}'}
      }
      if (step > 0u) {
        ${quadLines(
          kQuads,
          (k) => `{
        ${rowLines(cell, (i) => `let a${i} = a_tile[slice][ty + ${i}u * TILES_Y][${k}];`)}
        ${multiplyLines(cell, (lane, j) => `b_tile[slice][${4 * k + lane}][tx + ${j}u * TILES_X]`)}
        }`,
        )}
      }
      workgroupBarrier();
    }
    ${cellLines(cell, (i, j) => `sum${i}_${j} = sum${i}_${j} + c${i}_${j};`)}
  }
${sliceSumWgsl(tile)}
  ${rowLines(
    cell,
    (i) => `let row${i} = m_tile * TILE_M + ty + ${i}u * TILES_Y;
  if (row${i} < params.rows) {
    ${columnLines(cell, (j) => storeWgsl(spec, i, j))}
  }`,
  )}
}
`;
}

/** What the load of row `q` keeps: its first tap's position and index; rows past the end repeat the last one. */
function pixelWgsl(spec: ImplicitGemmSpec, q: number): string {
  const local = `min(m_tile * TILE_M + load_row + ${q}u * ROW_STEP, params.rows - 1u)`;
  const first =
    spec.rows === 'range' ? 'params.row_begin + ' : (spec.matrices ?? 1) > 1 ? 'matrix * params.rows + ' : '';
  return `let m${q} = ${first}${local};
  let top${q} = i32(m${q} / params.ow % params.oh * ${spec.strideH}u) - i32(params.pad_top);
  let left${q} = i32(m${q} % params.ow * ${spec.strideW}u) - i32(params.pad_left);
  let origin${q} = ((i32(m${q} / params.ow / params.oh * params.ih) + top${q}) * i32(params.iw) + left${q}) * i32(SRC_QUADS);
  ${shortcutOriginWgsl(spec, q)}
  var next_a${q} = vec4f();`;
}

/** Where the shortcut reads for the pixel of row `q`. */
function shortcutOriginWgsl({ shortcut }: ImplicitGemmSpec, q: number): string {
  if (shortcut === undefined) return '';
  const line = `m${q} / params.ow / params.oh * params.shortcut_ih + m${q} / params.ow % params.oh * ${shortcut.strideH}u`;
  return `let shortcut${q} = ((${line}) * params.shortcut_iw + m${q} % params.ow * ${shortcut.strideW}u) * SHORTCUT_QUADS;`;
}

/** Loads of a step whose tile of k lies in the shortcut. */
function loadShortcutWgsl(
  spec: ImplicitGemmSpec,
  { loadRows, weightLoads }: { readonly loadRows: RegisterTile; readonly weightLoads: RegisterTile },
): string {
  const ragged = (4 * shortcutQuads(spec)) % spec.tile.tileK !== 0;
  const live = chainOf(spec).exact ? 'true' : 'tile < SHORTCUT_TILES';
  return `let tile = k_tile - K_TILES;
        let live = ${live};
        let quad = tile * K_QUADS + load_quad;
        ${rowLines(loadRows, (q) => `next_a${q} = vec4f();\n        if (${ragged ? 'live & (quad < SHORTCUT_QUADS)' : 'live'}) { next_a${q} = shortcut_src[shortcut${q} + quad]; }`)}
        ${columnLines(weightLoads, (q) => `next_b${q} = vec4f();\n        if (live) { next_b${q} = shortcut_weights[(n_tile * SHORTCUT_TILES + tile) * TILE_K * N_QUADS + lane + ${q}u * INVOCATIONS]; }`)}`;
}

/** From a pixel's first tap to the tap and channels of this step. */
function shiftWgsl({ kh, kw, dilationH, dilationW }: ImplicitGemmSpec): string {
  const quad = 'let k_quad = k_tile * K_QUADS + load_quad;';
  if (kh * kw === 1)
    return `${quad}\n        let shift = i32(k_quad);\n        let tap_y = 0;\n        let tap_x = 0;`;
  return `${quad}
        let tap = k_quad / SRC_QUADS;
        let tap_y = i32(tap / ${kw}u * ${dilationH}u);
        let tap_x = i32(tap % ${kw}u * ${dilationW}u);
        let shift = (tap_y * i32(params.iw) + tap_x) * i32(SRC_QUADS) + i32(k_quad % SRC_QUADS);`;
}

function insideWgsl({ tile, kh, kw, srcQuads, padded }: ImplicitGemmSpec, q: number): string {
  const ragged = (4 * kh * kw * srcQuads) % tile.tileK !== 0;
  return [
    'live',
    ...(ragged ? ['(k_quad < ALL_QUADS)'] : []),
    ...(padded ? [`(u32(top${q} + tap_y) < params.ih)`, `(u32(left${q} + tap_x) < params.iw)`] : []),
  ].join(' & ');
}

function gateWgsl({ gated }: ImplicitGemmSpec, q: number): string {
  return gated ? ` * gate[m${q} / params.ow / params.oh * SRC_QUADS + k_quad % SRC_QUADS]` : '';
}

function storeWgsl({ tile, dstQuads }: ImplicitGemmSpec, i: number, j: number): string {
  const quad = `n_tile * N_QUADS + tx + ${j}u * TILES_X`;
  const conditions = [
    ...(tile.slices > 1 ? [`(slice == ${ownerOf(tile, i, j)}u)`] : []),
    ...((4 * dstQuads) % tile.tileN === 0 ? [] : [`(${quad} < DST_QUADS)`]),
  ].join(' & ');
  const store = `store(sum${i}_${j}, part * params.rows + row${i}, ${quad});`;
  return conditions === '' ? store : `if (${conditions}) { ${store} }`;
}

function quadLines(quads: number, line: (quad: number) => string): string {
  return Array.from({ length: quads }, (_, quad) => line(quad)).join('\n');
}

interface Chain {
  /** Tiles along k that read src, and behind them those of the shortcut. */
  readonly srcTiles: number;
  readonly shortcutTiles: number;
  /** Blocks of at most 256 terms one slice sums, and tiles in each. */
  readonly blocks: number;
  readonly tilesPerBlock: number;
  /** Whether every step of every slice has a tile of its own. */
  readonly exact: boolean;
}

function chainOf(spec: ImplicitGemmSpec): Chain {
  const { tile, splits, kh, kw, srcQuads } = spec;
  const srcTiles = Math.ceil((kh * kw * srcQuads * 4) / tile.tileK);
  const shortcutTiles = Math.ceil((shortcutQuads(spec) * 4) / tile.tileK);
  const kTiles = srcTiles + shortcutTiles;
  const shares = tile.slices * splits;
  const perSlice = Math.max(1, Math.ceil(kTiles / shares));
  const blocks = Math.ceil(perSlice / Math.floor(256 / tile.tileK));
  const tilesPerBlock = Math.ceil(perSlice / blocks);
  const exact = blocks * tilesPerBlock * shares === kTiles;
  return { srcTiles, shortcutTiles, blocks, tilesPerBlock, exact };
}

function shortcutQuads({ shortcut }: ImplicitGemmSpec): number {
  return Math.ceil((shortcut?.ic ?? 0) / 4);
}
