/**
 * Transposed convolution without workgroup memory, nhwc4. An invocation makes `rows` output pixels of one phase of
 * a row (stride apart, so that their taps and weights are the same and their sources neighbours) by `columns`
 * vec4 of channels.
 *   dst[b, y, x, c] = sum over the taps (r, s) of the phase and over k of src[b, iy, ix, k] * weights[r, s, k, c]
 */
import { quadBlocks } from '../gemm/blocks.ts';
import { BLOCK_TERMS } from '../gemm/spec.ts';
import { cellLines, multiplyLines, type RegisterTile, rowLines } from '../gemm/tile-lines.ts';
import { type Epilogue, spliceEpilogue } from '../shared/epilogue.ts';
import { maskLanesWgsl } from '../shared/prelude.ts';
import { axisPhases } from './phases.ts';
import { INVOCATIONS } from './spec.ts';
import { type WindowSpec, windowWgsl } from './window.wgsl.ts';

export interface GatherSpec {
  readonly window: WindowSpec;
  readonly epilogue: Epilogue;
  readonly tile: RegisterTile;
  /** One input and one output channel a group: products lane by lane. */
  readonly channels: 'depthwise' | 'dense';
}

/** Products of one quad of source channels, added into `c<row>_<column>`. */
function productLines(spec: GatherSpec): string {
  const { tile } = spec;
  const load = rowLines(tile, (row) => `let a${row} = select(vec4f(), src[pixel${row} + k4], inside${row});`);
  if (spec.channels === 'dense') {
    const at = (lane: number, column: number) =>
      `weights[weight + (4u * k4 + ${lane}u) * OC_QUADS + ${column}u]`;
    return `${load}\n${multiplyLines(tile, at)}`;
  }
  return `${load}
let b0 = weights[weight];
${rowLines(tile, (row) => `c${row}_0 = fma(a${row}, b0, c${row}_0);`)}`;
}

const NOTHING = { clear: '', fold: '' };

export function gatherWgsl(spec: GatherSpec): string {
  const { tile, window } = spec;
  const depthwise = spec.channels === 'depthwise';
  const epilogue = spliceEpilogue(spec.epilogue, 'vec4f', 3);
  const blocks = depthwise ? { count: '1u', steps: 1, ragged: false } : quadBlocks(window.ic / window.groups);
  const clear = cellLines(tile, (row, column) => `var c${row}_${column} = vec4f();`);
  const fold = cellLines(
    tile,
    (row, column) => `sum${row}_${column} = sum${row}_${column} + c${row}_${column};`,
  );
  // A row of taps is one block of terms where it is short enough.
  const rowTerms = axisPhases(window.horizontal).taps * (window.ic / window.groups);
  const [row, block] = rowTerms <= BLOCK_TERMS ? [{ clear, fold }, NOTHING] : [NOTHING, { clear, fold }];
  return `${windowWgsl(window, 3 + epilogue.bindings.length)}
@group(0) @binding(0) var<storage, read> src: array<vec4f>; // [batch, ih, iw, ic / 4]
@group(0) @binding(1) var<storage, read> weights: array<vec4f>; // [tap, k of a group, oc / 4]
@group(0) @binding(2) var<storage, read_write> dst: array<vec4f>; // [batch, oh, ow, oc / 4]
${epilogue.wgsl}
${maskLanesWgsl(window.oc)}
const DEPTHWISE = ${depthwise};
const RAGGED = ${blocks.ragged};
const GROUP_IC_QUADS = (GROUP_IC + 3u) / 4u;
const GROUP_OC_QUADS = (GROUP_OC + 3u) / 4u;
const ROWS_A_TAP = ${depthwise ? '1u' : '4u * GROUP_IC_QUADS'};
const QUAD_TILES = OC_QUADS / ${tile.columns}u;

@compute @workgroup_size(${INVOCATIONS})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let index = folded_workgroup(workgroup, workgroups) * ${INVOCATIONS}u + local;
  let quad = index % QUAD_TILES * ${tile.columns}u;
  let strip = index / QUAD_TILES;
  let phase = strip % u32(STRIDE_W);
  let block = strip / u32(STRIDE_W) % params.blocks;
  let y = strip / u32(STRIDE_W) / params.blocks % params.oh;
  let b = strip / u32(STRIDE_W) / params.blocks / params.oh;
  if (b >= params.batch) { return; }
  let x = phase + block * ${tile.rows}u * u32(STRIDE_W);
  let src_quad = select(quad / GROUP_OC_QUADS * GROUP_IC_QUADS, quad, DEPTHWISE);
  let ty = y + params.pad_top;
  let tx = x + params.pad_left;
  let first_r = first_tap_h(ty);
  let first_s = first_tap_w(tx);
  ${cellLines(tile, (row, column) => `var sum${row}_${column} = vec4f();`)}
  for (var jy = 0u; jy < PHASE_TAPS_H; jy++) {
    let r = first_r + jy * TAP_STEP_H;
    let iy = source_row(ty, r);
    if (r >= KH || iy < 0 || iy >= i32(params.ih)) { continue; }
    let src_row = (b * params.ih + u32(iy)) * params.iw;
    ${row.clear}
    for (var jx = 0u; jx < PHASE_TAPS_W; jx++) {
      let s = first_s + jx * TAP_STEP_W;
      if (s >= KW) { break; }
      let ix = source_column(tx, s);
      let weight = (r * KW + s) * ROWS_A_TAP * OC_QUADS + quad;
      ${rowLines(
        tile,
        (row) => `let inside${row} = ix + ${row} >= 0 && ix + ${row} < i32(params.iw);
      let pixel${row} = (src_row + u32(clamp(ix + ${row}, 0, i32(params.iw) - 1))) * IC_QUADS + src_quad;`,
      )}
      for (var block_k = 0u; block_k < ${blocks.count}; block_k++) {
        ${block.clear}
        for (var step = 0u; step < ${blocks.steps}u; step++) {
          let k4 = block_k * ${blocks.steps}u + step;
          if (RAGGED && k4 >= GROUP_IC_QUADS) { break; }
          ${productLines(spec)}
        }
        ${block.fold}
      }
    }
    ${row.fold}
  }
  // One copy of the epilogue's text: it is long, and compiling it for every cell takes longer than running it.
  var cells = array<vec4f, ${tile.rows * tile.columns}>(${cellLines(tile, (row, column) => `sum${row}_${column},`)});
  for (var cell = 0u; cell < ${tile.rows * tile.columns}u; cell++) {
    let cell_x = x + cell / ${tile.columns}u * u32(STRIDE_W);
    let cell_quad = quad + cell % ${tile.columns}u;
    if (cell_x < params.ow) {
      let at = ((b * params.oh + y) * params.ow + cell_x) * OC_QUADS + cell_quad;
      dst[at] = mask_lanes(finish(cells[cell], cell_quad, at), cell_quad);
    }
  }
}`;
}
