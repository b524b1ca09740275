/**
 * Implicit GEMM over workgroup memory, channels last: dst as a matrix [gemmM = output pixels, gemmN = output
 * channels], gemmK = (tap, channel) with the channel running first. The workgroup makes one tileM x tileN tile; its
 * slices take every `slices`-th tile of k each and are added in order at the end, so that few output tiles still
 * keep many invocations busy. Each slice sums blocks of at most 256 terms, or of fewer.
 *   A[m, k] = src[pixel of m at the tap of k, channel of k], never stored; B[k, n] = weights, packed in tiles
 * A source of few channels in planes has an order of k of its own, see `planar-loads`.
 * One tap makes it a plain product, or a batch of them: `matrices` of rows, each with weights of its own.
 */

import {
  cellLines,
  columnLines,
  outerProductLines,
  type RegisterTile,
  rowLines,
} from '../gemm/tile-lines.ts';
import {
  keepTransposedLines,
  lanePlaceLines,
  transposedQuad,
  transposedRow,
} from '../gemm/transposed-tile.ts';
import { evenBlocks } from '../shared/even-blocks.ts';
import { type ParamsRecord, paramsStruct } from '../shared/params-block.ts';
import { FOLDED_WORKGROUP } from '../shared/prelude.ts';
import { type GemmConfiguration, type GemmTile, sliceInvocations } from './gemm-tile.ts';
import { type Planes, planarLoadsWgsl, planarSourceWgsl } from './planar-loads.wgsl.ts';
import { ownerOf, sliceSumWgsl } from './slice-sum.wgsl.ts';

/**
 * What the text of the kernel depends on; everything else is a parameter, so that layers share pipelines. Bounds of
 * loops and checks that never fail stay out of the parameters: on an H200 a loop of unknown length costs 2 to 10 %, a
 * load behind a condition another 8 %.
 */
export interface ImplicitGemmSpec {
  readonly tile: GemmTile;
  /** Taps in a row, and whether there is one tap only. */
  readonly kw: number;
  readonly pointwise: boolean;
  /** Whether a tap may lie outside the picture. */
  readonly padded: boolean;
  readonly chain: Chain;
  /** Whether the last tile of k may end behind the terms of src, and the last tile of n behind the channels of dst. */
  readonly raggedK: boolean;
  readonly raggedN: boolean;
  /** Whether src is multiplied by `gate`, which `store` declares. */
  readonly gated: boolean;
  /** Where src lies in planes; else it holds vec4 of channels. */
  readonly planes?: Planes | undefined;
  /** Whether there is a second source behind the first along k; `store` declares it and its weights. */
  readonly shortcut: boolean;
  /** Only the names go into the text, see `gemmParams`. */
  readonly params: ParamsRecord;
  readonly paramsBinding: number;
  /** WGSL of the output (binding 2) and of `fn store(value: vec4f, m: u32, quad: u32)`, m counted from the first row, over all splits. */
  readonly store: string;
}

/** Texts by what they depend on: most layers of a network share one with another, and each takes a while to write. */
const texts = new Map<string, string>();
const MOST_TEXTS = 256;

export function implicitGemmWgsl(spec: ImplicitGemmSpec): string {
  const key = JSON.stringify({ ...spec, params: Object.keys(spec.params) });
  const known = texts.get(key);
  if (known !== undefined) return known;
  if (texts.size >= MOST_TEXTS) texts.clear();
  const text = writtenWgsl(spec);
  texts.set(key, text);
  return text;
}

function writtenWgsl(spec: ImplicitGemmSpec): string {
  const { tile } = spec;
  const { cell } = tile;
  const invocations = sliceInvocations(tile);
  const kQuads = tile.tileK / 4;
  const loadRows = { rows: (tile.tileM * kQuads) / invocations, columns: 1 };
  const { chain } = spec;
  const weightLoads = { rows: 1, columns: (tile.tileK * tile.tileN) / 4 / invocations };
  return `// src [batch, ih, iw, src_quads], weights [n_tiles, k_tiles, TILE_K, TILE_N / 4], dst [batch, oh, ow, dst_quads] of vec4f
${FOLDED_WORKGROUP}
${paramsStruct(spec.params)}
const TILE_M = ${tile.tileM}u;
const TILE_K = ${tile.tileK}u;
const K_QUADS = ${kQuads}u;
const N_QUADS = ${tile.tileN / 4}u;
const SLICES = ${tile.slices}u;
const INVOCATIONS = ${invocations}u;
const ROW_STEP = ${invocations / kQuads}u;
const TILES_X = ${tile.tileN / 4 / cell.columns}u;
const TILES_Y = ${tile.tileM / cell.rows}u;

${sourceWgsl(spec)}
@group(0) @binding(1) var<storage, read> weights: array<vec4f>;
@group(0) @binding(${spec.paramsBinding}) var<uniform> params: Params;
${spec.store}

// A as [k, pixels], so that a vec4 is four pixels of one term: eight registers of A serve eight pixels, where rows of k would
// take thirty-two.
var<workgroup> a_tile: array<array<array<vec4f, ${transposedRow(tile.tileM)}>, ${tile.tileK}>, ${tile.slices}>;
var<workgroup> b_tile: array<array<array<vec4f, ${tile.tileN / 4}>, ${tile.tileK}>, ${tile.slices}>;

@compute @workgroup_size(${invocations * tile.slices})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) count: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let id = folded_workgroup(workgroup, count);
  let n_tile = id % params.n_tiles;
  let m_tile = id / params.n_tiles % params.row_blocks;
  // Rows of one matrix lie behind those of the one before, its splits likewise.
  let part = id / params.n_tiles / params.row_blocks;
  if (part >= params.splits * params.matrices) { return; }
  let split = part % params.splits;
  let matrix = part / params.splits;
  let slice = local / INVOCATIONS;
  let lane = local % INVOCATIONS;
  ${lanePlaceLines('lane', { x: tile.tileN / 4 / cell.columns, y: tile.tileM / cell.rows })}
  let load_quad = lane % K_QUADS;
  let load_row = lane / K_QUADS;
  ${rowLines(loadRows, (q) => pixelWgsl(spec, q))}
  ${columnLines(weightLoads, (q) => `var next_b${q} = vec4f();`)}
  ${cellLines(cell, (i, j) => `var sum${i}_${j} = vec4f();`)}
  for (var block = 0u; block < ${chain.blocks}u; block++) {
    ${cellLines(cell, (i, j) => `var c${i}_${j} = vec4f();`)}
    // One step more than tiles in the block: a step loads its tile, then multiplies the one before.
    for (var step = 0u; step < ${chain.blockTiles + 1}u; step++) {
      if (step > 0u) {
        ${rowLines(loadRows, (q) => storeTransposedWgsl(spec, q))}
        ${columnLines(weightLoads, (q) => `b_tile[slice][(lane + ${q}u * INVOCATIONS) / N_QUADS][(lane + ${q}u * INVOCATIONS) % N_QUADS] = next_b${q};`)}
      }
      workgroupBarrier();
      if (step < ${chain.blockTiles}u) {
        let k_tile = ((block * ${chain.blockTiles}u + step) * params.splits + split) * SLICES + slice;
        ${spec.shortcut ? `if (k_tile >= params.k_tiles) {\n        ${loadShortcutWgsl(spec, { loadRows, weightLoads })}\n        } else {` : ''}
        let live = ${spec.shortcut || chain.exact ? 'true' : 'k_tile < params.k_tiles'};
        let k_quad = k_tile * K_QUADS + load_quad;
        ${spec.planes === undefined ? loadsWgsl(spec, loadRows) : planarLoadsWgsl(spec, loadRows)}
        ${columnLines(weightLoads, (q) => `next_b${q} = vec4f();\n        if (live) { next_b${q} = weights[((matrix * params.n_tiles + n_tile) * params.k_tiles + k_tile) * TILE_K * N_QUADS + lane + ${q}u * INVOCATIONS]; }`)}
        ${spec.shortcut ? '}' : ''}
      }
      if (step > 0u) {
        ${termLines(tile)}
      }
      workgroupBarrier();
    }
    ${cellLines(cell, (i, j) => `sum${i}_${j} = sum${i}_${j} + c${i}_${j};`)}
  }
${sliceSumWgsl(tile)}
  ${rowLines(
    cell,
    (i) => `let row${i} = m_tile * TILE_M + 4u * (ty + ${Math.floor(i / 4)}u * TILES_Y) + ${i % 4}u;
  if (row${i} < params.rows) {
    ${columnLines(cell, (j) => storeWgsl(spec, i, j))}
  }`,
  )}
}
`;
}

/** Declares src and the load of an element. */
function sourceWgsl({ planes }: ImplicitGemmSpec): string {
  if (planes !== undefined) return planarSourceWgsl(planes);
  return `@group(0) @binding(0) var<storage, read> src: array<vec4f>;
fn load_src(at: u32) -> vec4f { return src[at]; }`;
}

/** What the load of row `q` keeps: its first tap's position and index; rows past the end repeat the last one. */
function pixelWgsl({ shortcut, planes, gated }: ImplicitGemmSpec, q: number): string {
  return `let m${q} = params.row_begin + matrix * params.rows + min(m_tile * TILE_M + load_row + ${q}u * ROW_STEP, params.rows - 1u);
  let top${q} = i32(m${q} / params.ow % params.oh * params.stride_h) - i32(params.pad_top);
  let left${q} = i32(m${q} % params.ow * params.stride_w) - i32(params.pad_left);
  let origin${q} = ((i32(m${q} / params.ow / params.oh * params.ih${planes === undefined ? '' : ` * ${planes.count}u`}) + top${q}) * i32(params.iw) + left${q}) * i32(params.src_quads);
  ${shortcut ? shortcutOriginWgsl(q) : ''}
  var next_a${q} = vec4f();
  ${gated ? `let gate${q} = m${q} / params.ow / params.oh * params.src_quads;\n  var next_gate${q} = vec4f();` : ''}`;
}

/** Where the shortcut reads for the pixel of row `q`. */
function shortcutOriginWgsl(q: number): string {
  const line = `m${q} / params.ow / params.oh * params.shortcut_ih + m${q} / params.ow % params.oh * params.shortcut_stride_h`;
  return `let shortcut${q} = ((${line}) * params.shortcut_iw + m${q} % params.ow * params.shortcut_stride_w) * params.shortcut_quads;`;
}

/** Loads of a step whose tile of k lies in the shortcut. */
function loadShortcutWgsl(
  { chain }: ImplicitGemmSpec,
  { loadRows, weightLoads }: { readonly loadRows: RegisterTile; readonly weightLoads: RegisterTile },
): string {
  return `let tile = k_tile - params.k_tiles;
        let live = ${chain.exact ? 'true' : 'tile < params.shortcut_tiles'};
        let quad = tile * K_QUADS + load_quad;
        ${rowLines(loadRows, (q) => `next_a${q} = vec4f();\n        if (quad < params.shortcut_quads) { next_a${q} = shortcut_src[shortcut${q} + quad]; }`)}
        ${columnLines(weightLoads, (q) => `next_b${q} = vec4f();\n        if (live) { next_b${q} = shortcut_weights[(n_tile * params.shortcut_tiles + tile) * TILE_K * N_QUADS + lane + ${q}u * INVOCATIONS]; }`)}`;
}

/** Loads of a step from vec4 of channels. */
function loadsWgsl(spec: ImplicitGemmSpec, loadRows: RegisterTile): string {
  return `let wanted = ${spec.raggedK ? 'live & (k_quad < params.all_quads)' : 'live'};
        ${shiftWgsl(spec)}
        ${rowLines(loadRows, (q) => `next_a${q} = vec4f();${spec.gated ? ` next_gate${q} = vec4f();` : ''}\n        if (${insideWgsl(spec, q)}) { next_a${q} = load_src(u32(origin${q} + shift));${gateWgsl(spec, q)} }`)}`;
}

/** From a pixel's first tap to the tap and channels of this step. */
function shiftWgsl({ kw, pointwise }: ImplicitGemmSpec): string {
  if (pointwise) return 'let channel = k_quad;\n        let shift = i32(channel);';
  return `// The whole part of k_quad / src_quads: exact below 2^21, half a quad away from any whole number.
        let tap = u32((f32(k_quad) + 0.5) * bitcast<f32>(params.src_quads_inverse));
        let channel = k_quad - tap * params.src_quads;
        let tap_y = i32(tap / ${kw}u * params.dilation_h);
        let tap_x = i32(tap % ${kw}u * params.dilation_w);
        let shift = (tap_y * i32(params.iw) + tap_x) * i32(params.src_quads) + i32(channel);`;
}

function insideWgsl({ padded, pointwise }: ImplicitGemmSpec, q: number): string {
  const tap = pointwise ? ['', ''] : [' + tap_y', ' + tap_x'];
  const inside = padded
    ? ` & (u32(top${q}${tap[0]}) < params.ih) & (u32(left${q}${tap[1]}) < params.iw)`
    : '';
  return `wanted${inside}`;
}

/** Kept beside src and multiplied a step later: here it would wait for both. */
function gateWgsl({ gated }: ImplicitGemmSpec, q: number): string {
  return gated ? ` next_gate${q} = gate[gate${q} + channel];` : '';
}

function storeWgsl({ tile, raggedN }: ImplicitGemmSpec, i: number, j: number): string {
  const quad = `n_tile * N_QUADS + tx + ${j}u * TILES_X`;
  const conditions = [
    ...(tile.slices > 1 ? [`(slice == ${ownerOf(tile, i, j)}u)`] : []),
    ...(raggedN ? [`(${quad} < params.dst_quads)`] : []),
  ].join(' & ');
  const store = `store(sum${i}_${j}, part * params.rows + row${i}, ${quad});`;
  return conditions === '' ? store : `if (${conditions}) { ${store} }`;
}

/** Four terms of load `q`'s pixel into four rows of the tile. */
function storeTransposedWgsl({ gated }: ImplicitGemmSpec, q: number): string {
  const register = gated ? `a${q}` : `next_a${q}`;
  const row = `load_row + ${q}u * ROW_STEP`;
  const keep = keepTransposedLines('a_tile[slice]', { quad: 'load_quad', row, register });
  return gated ? `let a${q} = next_a${q} * next_gate${q};\n${keep}` : keep;
}

/** Every term of a step: the products of the invocation's pixels and channels. */
function termLines({ tileK, cell }: GemmTile): string {
  const term = (_: unknown, k: number): string =>
    outerProductLines(
      cell,
      (i) => `a_tile[slice][${k}][${transposedQuad(k, `ty + ${i}u * TILES_Y`)}]`,
      (j) => `b_tile[slice][${k}][tx + ${j}u * TILES_X]`,
    );
  return Array.from({ length: tileK }, term).join('\n');
}

export interface Chain {
  /** Tiles along k that read src, and behind them those of the shortcut. */
  readonly srcTiles: number;
  readonly shortcutTiles: number;
  /** Blocks of at most `blockTerms` terms one slice sums, and tiles in each. */
  readonly blocks: number;
  readonly blockTiles: number;
  /** Whether every step of every slice has a tile of its own. */
  readonly exact: boolean;
}

/** How sums of `quads` vec4, and of those of a shortcut, are walked by the slices and splits of a configuration. */
export function chainOf(
  { tile, splits }: GemmConfiguration,
  quads: { readonly src: number; readonly shortcut: number },
  blockTerms = 256,
): Chain {
  const srcTiles = Math.ceil((4 * quads.src) / tile.tileK);
  const shortcutTiles = Math.ceil((4 * quads.shortcut) / tile.tileK);
  const tiles = srcTiles + shortcutTiles;
  const shares = tile.slices * splits;
  const perSlice = Math.max(1, Math.ceil(tiles / shares));
  const { blocks, blockSteps: blockTiles } = evenBlocks(perSlice, Math.floor(blockTerms / tile.tileK));
  return { srcTiles, shortcutTiles, blocks, blockTiles, exact: blocks * blockTiles * shares === tiles };
}
