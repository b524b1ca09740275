/**
 * Convolution as a matrix product without workgroup memory or barriers, channels last: one invocation makes `rows`
 * consecutive output pixels (of the whole batch) times 4 * `columns` output channels, straight from storage. Four
 * neighbouring invocations share a block of output channels, so that their weights come from one address.
 *   dst[m, o] = sum over (tap, c) of src[pixel of m at tap, c] * weights[tap, c, o]
 */
import { cellLines, columnLines, multiplyLines, type RegisterTile, rowLines } from '../gemm/tile-lines.ts';
import { FOLDED_WORKGROUP } from '../shared/prelude.ts';
import type { KBlocks } from './k-blocks.ts';
import { type PixelWalk, pixelWalkWgsl } from './pixel-walk.ts';
import { CONV_PARAMS_WGSL } from './plan.ts';

export const REGISTER_TILE_INVOCATIONS = 64;

export interface RegisterTileSpec {
  readonly tile: RegisterTile;
  readonly walk: PixelWalk;
  readonly blocks: KBlocks;
  readonly groups: number;
  /** vec4 of channels stored in src and dst. */
  readonly srcQuads: number;
  readonly dstQuads: number;
  readonly paramsBinding: number;
  /** WGSL of the epilogue for vec4f, and of `mask_lanes`. */
  readonly epilogue: string;
}

export function registerTileWgsl(spec: RegisterTileSpec): string {
  const { tile, blocks } = spec;
  const walk = pixelWalkWgsl(spec.walk, tile);
  return `// src [batch, ih, iw, SRC_QUADS], dst [batch, oh, ow, DST_QUADS] of vec4f
${FOLDED_WORKGROUP}
${CONV_PARAMS_WGSL}
const ROWS = ${tile.rows}u;
const COLUMNS = ${tile.columns}u;
const TAPS = ${spec.walk.kh * spec.walk.kw}u;
const SRC_QUADS = ${spec.srcQuads}u;
const DST_QUADS = ${spec.dstQuads}u;
const GROUP_SRC_QUADS = ${spec.srcQuads / spec.groups}u;
const GROUP_DST_QUADS = ${spec.dstQuads / spec.groups}u;
const GROUP_BLOCKS = (GROUP_DST_QUADS + COLUMNS - 1u) / COLUMNS;
const SLICES = ${blocks.slices}u;
const SLICE_QUADS = ${blocks.sliceUnits}u;
const TAPS_PER_STEP = ${blocks.tapsPerStep}u;

@group(0) @binding(0) var<storage, read> src: array<vec4f>;
@group(0) @binding(1) var<storage, read> weights: array<vec4f>; // [groups, GROUP_BLOCKS, TAPS, GROUP_SRC_QUADS * 4, COLUMNS]
@group(0) @binding(2) var<storage, read_write> dst: array<vec4f>;
@group(0) @binding(${spec.paramsBinding}) var<uniform> params: Params;
${spec.epilogue}

@compute @workgroup_size(${REGISTER_TILE_INVOCATIONS})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) count: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let id = folded_workgroup(workgroup, count) * ${REGISTER_TILE_INVOCATIONS}u + lane;
  let block = id / params.row_blocks;
  let row = id % params.row_blocks * ROWS;
  if (block >= GROUP_BLOCKS * ${spec.groups}u) { return; }
  let group = block / GROUP_BLOCKS;
  let group_quad = block % GROUP_BLOCKS * COLUMNS;
  ${walk.start}
  ${cellLines(tile, (i, j) => `var sum${i}_${j} = vec4f();`)}
  for (var step = 0u; step < ${blocks.steps}u; step++) {
    ${cellLines(tile, (i, j) => `var c${i}_${j} = vec4f();`)}
    let slice = step % SLICES * SLICE_QUADS;
    for (var t = 0u; t < TAPS_PER_STEP; t++) {
      let tap = step / SLICES * TAPS_PER_STEP + t;
      ${walk.tap}
      let first = group * GROUP_SRC_QUADS + slice;
      ${rowLines(tile, (i) => `let from${i} = pixel${i} * SRC_QUADS + first;`)}
      let stream = ((block * TAPS + tap) * GROUP_SRC_QUADS + slice) * 4u * COLUMNS;
      for (var quad = 0u; quad < SLICE_QUADS; quad++) {
        ${blocks.ragged ? 'if (slice + quad >= GROUP_SRC_QUADS) { break; }' : ''}
        ${rowLines(tile, (i) => `let a${i} = ${walk.load(i, 'quad')};`)}
        let w = stream + quad * 4u * COLUMNS;
        ${multiplyLines(tile, (k, j) => `weights[w + ${k * tile.columns + j}u]`)}
      }
    }
    ${cellLines(tile, (i, j) => `sum${i}_${j} = sum${i}_${j} + c${i}_${j};`)}
  }
  let quad = group * GROUP_DST_QUADS + group_quad;
  ${rowLines(
    tile,
    (i) => `if (row + ${i}u < params.rows) {
    let at = (params.row_begin + row + ${i}u) * DST_QUADS + quad;
    ${columnLines(tile, (j) => `if (group_quad + ${j}u < GROUP_DST_QUADS) { dst[at + ${j}u] = mask_lanes(finish(sum${i}_${j}, quad + ${j}u, at + ${j}u), quad + ${j}u); }`)}
  }`,
  )}
}
`;
}
