/**
 * Convolution as a matrix product without workgroup memory or barriers: one invocation makes `rows`
 * consecutive output pixels (of the whole batch) times 4 * `columns` output channels, straight from storage.
 *   dst[m, o] = sum over (tap, c) of src[pixel of m at tap, c] * weights[tap, c, o]
 * Channels and windows are parameters: compiling costs a software adapter more than running, so all layers with one
 * tile and epilogue share a pipeline. Four channels are one expression, since each store to a variable costs a
 * software adapter a read and a blend.
 */
import { cellLines, columnLines, type RegisterTile, rowLines } from '../gemm/tile-lines.ts';
import { type ParamsRecord, paramsStruct } from '../shared/params-block.ts';
import { FOLDED_WORKGROUP } from '../shared/prelude.ts';
import { walkSourceWgsl, walkStart, walkTap } from './pixel-walk.ts';
import { type WeightsLoad, weightsStreamWgsl } from './weights-stream.wgsl.ts';

export const REGISTER_TILE_INVOCATIONS = 64;

export interface RegisterTileSpec {
  readonly tile: RegisterTile;
  /** Whether src is read as vec4 of channels. */
  readonly sourceQuads: boolean;
  readonly weightsLoad: WeightsLoad;
  /**
   * What neighbouring invocations differ in: `rows` share the weights' addresses, `blocks` (of output channels)
   * share the source's.
   */
  readonly neighbours: 'rows' | 'blocks';
  /** Only the names go into the text. */
  readonly params: ParamsRecord;
  readonly paramsBinding: number;
  /** Whether src is multiplied by `gate`, which `store` declares. */
  readonly gated: boolean;
  /** WGSL of `dst` (binding 2) and of `fn store(value: vec4f, m: u32, quad: u32)`. */
  readonly store: string;
}

export function registerTileWgsl(spec: RegisterTileSpec): string {
  const { tile } = spec;
  const weights = weightsStreamWgsl(spec.weightsLoad);
  const cell = (i: number, j: number): number => i * tile.columns + j;
  const gate = (i: number): string => (spec.gated ? ` * gate[select(0u, gate${i} + quad, inside${i})]` : '');
  return `${weights.directives}
// weights [blocks, taps, group_src_quads * 4, COLUMNS] of vec4f; dst by pixel and vec4 of output channels, see store
${FOLDED_WORKGROUP}
${paramsStruct(spec.params)}
const ROWS = ${tile.rows}u;
const COLUMNS = ${tile.columns}u;
const NEIGHBOURS_ARE_ROWS = ${spec.neighbours === 'rows'};
const WHOLE_SUBGROUPS = ${spec.weightsLoad === 'broadcast'};

${walkSourceWgsl(spec.sourceQuads)}
${weights.binding}
@group(0) @binding(${spec.paramsBinding}) var<uniform> params: Params;
${spec.store}

@compute @workgroup_size(${REGISTER_TILE_INVOCATIONS})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) count: vec3u,
  @builtin(local_invocation_index) lane: u32${weights.builtins}
) {
  let id = folded_workgroup(workgroup, count) * ${REGISTER_TILE_INVOCATIONS}u + lane;
  let block = select(id % params.blocks, id / params.row_blocks, NEIGHBOURS_ARE_ROWS);
  let row = select(id / params.blocks, id % params.row_blocks, NEIGHBOURS_ARE_ROWS) * ROWS;
  if (block >= params.blocks) { return; }
  if (!WHOLE_SUBGROUPS) { if (row >= params.rows) { return; } }
  let group = block / params.group_blocks;
  let group_quad = block % params.group_blocks * COLUMNS;
  ${walkStart(tile, spec.gated ? 'gated' : 'plain')}
  let first = group * params.group_first;
  // Counted, not divided: a software adapter divides one invocation at a time.
  var tap = 0u;
  var tap_y = 0u;
  var tap_x = 0u;
  var slice = 0u;
  var sums = array<vec4f, ${tile.rows * tile.columns}>();
  for (var step = 0u; step < params.steps; step++) {
    ${cellLines(tile, (i, j) => `var c${i}_${j} = vec4f();`)}
    for (var t = 0u; t < params.taps_per_step; t++) {
      let slice_begin = slice;
      let slice_end = min(slice + params.slice_quads, params.group_src_quads);
      ${walkTap(tile)}
      let stream = (block * params.taps + tap) * params.group_src_quads;
      for (var quad = slice_begin; quad < slice_end; quad++) {
        let at = (stream + quad) * 4u * COLUMNS;
        ${rowLines(tile, (i) => `let a${i} = select(vec4f(), load_src(origin${i}, quad, params.group_channels)${gate(i)}, inside${i});`)}
        ${columnLines(tile, (j) => LANES.map((_, lane) => weights.load(`b${j}_${lane}`, `at + ${lane}u * COLUMNS + ${j}u`)).join('\n'))}
        ${cellLines(tile, (i, j) => `c${i}_${j} = ${fourTerms(i, j)};`)}
      }
      let tap_done = slice_end == params.group_src_quads;
      let line_done = tap_done & (tap_x + 1u == params.kw);
      slice = select(slice_end, 0u, tap_done);
      tap = select(tap, tap + 1u, tap_done);
      tap_x = select(select(tap_x, tap_x + 1u, tap_done), 0u, line_done);
      tap_y = select(tap_y, tap_y + 1u, line_done);
    }
    ${cellLines(tile, (i, j) => `sums[${cell(i, j)}] = sums[${cell(i, j)}] + c${i}_${j};`)}
  }
  // One text of the epilogue for all cells: inlined once a cell it is most of the compile time.
  let first_quad = group * params.group_dst_quads + group_quad;
  for (var cell = 0u; cell < ${tile.rows * tile.columns}u; cell++) {
    let m = row + cell / COLUMNS;
    let j = cell % COLUMNS;
    if ((m < params.rows) & (group_quad + j < params.group_dst_quads)) {
      store(sums[cell], params.row_begin + m, first_quad + j);
    }
  }
}
`;
}

const LANES = ['x', 'y', 'z', 'w'];

/** Four channels added to a cell in order. */
function fourTerms(i: number, j: number): string {
  return LANES.reduce(
    (sum, lane, channel) => `fma(vec4f(a${i}.${lane}), b${j}_${channel}, ${sum})`,
    `c${i}_${j}`,
  );
}
