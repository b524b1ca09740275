/**
 * Convolution as a matrix product without workgroup memory or barriers: one invocation makes `rows`
 * consecutive output pixels (of the whole batch) times 4 * `columns` output channels, straight from storage.
 *   dst[m, o] = sum over (tap, c) of src[pixel of m at tap, c] * weights[tap, c, o]
 * The source is read as scalars: a software adapter loads scalars anyway, the loop body is a quarter of the size
 * (and of the compile time), and channels need no padding.
 */
import { cellLines, columnLines, type RegisterTile, rowLines } from '../gemm/tile-lines.ts';
import { FOLDED_WORKGROUP } from '../shared/prelude.ts';
import type { KBlocks } from './k-blocks.ts';
import { type PixelWalk, pixelWalkWgsl } from './pixel-walk.ts';
import { CONV_PARAMS_WGSL } from './plan.ts';

export const REGISTER_TILE_INVOCATIONS = 64;

export interface RegisterTileSpec {
  readonly tile: RegisterTile;
  readonly walk: PixelWalk;
  readonly blocks: KBlocks;
  /**
   * What neighbouring invocations differ in: `rows` share the weights' addresses, `blocks` (of output channels)
   * share the source's.
   */
  readonly neighbours: 'rows' | 'blocks';
  readonly groups: number;
  readonly ic: number;
  /** vec4 of output channels. */
  readonly dstQuads: number;
  readonly paramsBinding: number;
  /** WGSL of `dst` (binding 2) and of `fn store(value: vec4f, m: u32, quad: u32)`. */
  readonly store: string;
}

export function registerTileWgsl(spec: RegisterTileSpec): string {
  const { tile, blocks } = spec;
  const walk = pixelWalkWgsl(spec.walk, tile);
  return `// src of f32 in either layout; dst by pixel and vec4 of output channels, see store
${FOLDED_WORKGROUP}
${CONV_PARAMS_WGSL}
const ROWS = ${tile.rows}u;
const COLUMNS = ${tile.columns}u;
const TAPS = ${spec.walk.kh * spec.walk.kw}u;
const DST_QUADS = ${spec.dstQuads}u;
const GROUP_IC = ${spec.ic / spec.groups}u;
const GROUP_DST_QUADS = ${spec.dstQuads / spec.groups}u;
const GROUP_BLOCKS = (GROUP_DST_QUADS + COLUMNS - 1u) / COLUMNS;
const BLOCKS = GROUP_BLOCKS * ${spec.groups}u;
const NEIGHBOURS_ARE_ROWS = ${spec.neighbours === 'rows'};
const SLICES = ${blocks.slices}u;
const SLICE_CHANNELS = ${blocks.sliceChannels}u;
const TAPS_PER_STEP = ${blocks.tapsPerStep}u;

@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read> weights: array<vec4f>; // [BLOCKS, TAPS, GROUP_IC, COLUMNS]
@group(0) @binding(${spec.paramsBinding}) var<uniform> params: Params;
${spec.store}

@compute @workgroup_size(${REGISTER_TILE_INVOCATIONS})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) count: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let id = folded_workgroup(workgroup, count) * ${REGISTER_TILE_INVOCATIONS}u + lane;
  let block = select(id % BLOCKS, id / params.row_blocks, NEIGHBOURS_ARE_ROWS);
  let row = select(id / BLOCKS, id % params.row_blocks, NEIGHBOURS_ARE_ROWS) * ROWS;
  if ((block >= BLOCKS) | (row >= params.rows)) { return; }
  let group = block / GROUP_BLOCKS;
  let group_quad = block % GROUP_BLOCKS * COLUMNS;
  ${walk.start}
  ${cellLines(tile, (i, j) => `var sum${i}_${j} = vec4f();`)}
  for (var step = 0u; step < ${blocks.steps}u; step++) {
    ${cellLines(tile, (i, j) => `var c${i}_${j} = vec4f();`)}
    let slice = step % SLICES * SLICE_CHANNELS;
    for (var t = 0u; t < TAPS_PER_STEP; t++) {
      let tap = step / SLICES * TAPS_PER_STEP + t;
      ${walk.tap}
      let first = group * GROUP_IC + slice;
      ${rowLines(tile, (i) => `let start${i} = origin${i} + ${walk.channelOffset('first')};`)}
      let stream = ((block * TAPS + tap) * GROUP_IC + slice) * COLUMNS;
      for (var c = 0u; c < SLICE_CHANNELS; c++) {
        ${blocks.ragged ? 'if (slice + c >= GROUP_IC) { break; }' : ''}
        ${rowLines(tile, (i) => `let a${i} = ${walk.load(i, `start${i} + ${walk.channelOffset('c')}`)};`)}
        ${columnLines(tile, (j) => `let b${j} = weights[stream + c * COLUMNS + ${j}u];`)}
        ${cellLines(tile, (i, j) => `c${i}_${j} = fma(vec4f(a${i}), b${j}, c${i}_${j});`)}
      }
    }
    ${cellLines(tile, (i, j) => `sum${i}_${j} = sum${i}_${j} + c${i}_${j};`)}
  }
  let quad = group * GROUP_DST_QUADS + group_quad;
  // One text of the epilogue for all cells: inlined once a cell it is most of the compile time.
  var cells = array<vec4f, ${tile.rows * tile.columns}>(${cellLines(tile, (i, j) => `sum${i}_${j},`)});
  for (var cell = 0u; cell < ${tile.rows * tile.columns}u; cell++) {
    let m = row + cell / COLUMNS;
    let j = cell % COLUMNS;
    if ((m < params.rows) & (group_quad + j < GROUP_DST_QUADS)) { store(cells[cell], params.row_begin + m, quad + j); }
  }
}
`;
}
