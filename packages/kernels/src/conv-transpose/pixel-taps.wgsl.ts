/**
 * Transposed convolution with kernel = stride and few columns, src nhwc4: an invocation makes, for `PIXELS` source
 * pixels, the columns (tap, channel) of one tap, or with one output channel those of all taps, in registers. Weights
 * are read at the same address by a whole workgroup; no workgroup memory. Sums in the order of `pixel-shuffle`.
 *
 *   dst[b, iy * KH + r, ix * KW + s, c] = finish(sum over k of src[b, iy, ix, k] * weights[k, (r, s, c)])
 */
import { quadBlocks } from '../gemm/blocks.ts';
import { cellLines, multiplyLines, type RegisterTile, rowLines } from '../gemm/tile-lines.ts';
import { type Epilogue, spliceEpilogue } from '../shared/epilogue.ts';
import type { Layout } from '../shared/layout.ts';
import { FOLDED_WORKGROUP, maskLanesWgsl } from '../shared/prelude.ts';
import { INVOCATIONS } from './spec.ts';

/**
 * Source pixels an invocation makes: each vec4 of weights that is read serves them all. They are `INVOCATIONS` apart, so
 * that neighbours read and write side by side.
 */
export const PIXELS = 4;

export interface PixelTapsSpec {
  readonly ic: number;
  readonly oc: number;
  readonly kh: number;
  readonly kw: number;
  /** Of residual and dst; `nchw` with one output channel only. */
  readonly dstLayout: Layout;
  readonly epilogue: Epilogue;
}

/** How often the grid covers the pixels: once a tap, or once where lanes are taps. */
export function tapGroups({ oc, kh, kw }: Pick<PixelTapsSpec, 'oc' | 'kh' | 'kw'>): number {
  return oc === 1 ? 1 : kh * kw;
}

/** vec4 of columns an invocation holds for each pixel. */
export function columnQuads({ oc, kh, kw }: Pick<PixelTapsSpec, 'oc' | 'kh' | 'kw'>): number {
  return Math.ceil((oc === 1 ? kh * kw : oc) / 4);
}

/** Hands every stored element of a pixel to `store`. */
function storeLines(spec: PixelTapsSpec, row: number): string {
  const { oc, kh, kw, dstLayout } = spec;
  if (oc > 1) {
    const quads = Array.from({ length: columnQuads(spec) }, (_, quad) => quad);
    return quads.map((quad) => `store(sum${row}_${quad}, pixel${row}, group, ${quad}u);`).join('\n');
  }
  const quads = Array.from({ length: columnQuads(spec) }, (_, quad) => quad);
  const lines = quads.map((quad) => {
    const value = `sum${row}_${quad}[lane]`;
    const element = dstLayout === 'nchw' ? value : `vec4f(${value}, 0.0, 0.0, 0.0)`;
    return `for (var lane = 0u; lane < ${Math.min(kh * kw - 4 * quad, 4)}u; lane++) { store(${element}, pixel${row}, ${4 * quad}u + lane, 0u); }`;
  });
  return lines.join('\n');
}

export function pixelTapsWgsl(spec: PixelTapsSpec): string {
  const { ic, oc, kh, kw, dstLayout } = spec;
  const type = dstLayout === 'nchw' ? 'f32' : 'vec4f';
  const epilogue = spliceEpilogue(spec.epilogue, type, 3);
  const tile: RegisterTile = { rows: PIXELS, columns: columnQuads(spec) };
  const blocks = quadBlocks(ic);
  return `
struct Params {
  iw: u32,
  pixels: u32, // batch * ih * iw
  unused0: u32,
  unused1: u32,
}
@group(0) @binding(0) var<storage, read> src: array<vec4f>; // [batch, ih, iw, ic / 4]
@group(0) @binding(1) var<storage, read> weights: array<vec4f>; // [k, (tap, channel) / 4]
@group(0) @binding(2) var<storage, read_write> dst: array<${type}>; // [batch, ih * KH, iw * KW, channel]
@group(0) @binding(${3 + epilogue.bindings.length}) var<uniform> params: Params;
${epilogue.wgsl}
${type === 'f32' ? 'fn mask_lanes(value: f32, quad: u32) -> f32 { return value; }' : maskLanesWgsl(oc)}
${FOLDED_WORKGROUP}
const IC_QUADS = ${Math.ceil(ic / 4)}u;
const OC_QUADS = ${Math.ceil(oc / 4)}u;
const KH = ${kh}u;
const KW = ${kw}u;
const GROUPS = ${tapGroups(spec)}u;
const QUADS = ${tile.columns}u; // columns of one group
const RAGGED = ${blocks.ragged};

fn store(sum: ${type}, pixel: u32, tap: u32, quad: u32) {
  let y = pixel / params.iw * KH + tap / KW; // b * oh + y
  let x = pixel % params.iw * KW + tap % KW;
  let at = (y * params.iw * KW + x) * OC_QUADS + quad;
  dst[at] = mask_lanes(finish(sum, quad, at), quad);
}

@compute @workgroup_size(${INVOCATIONS})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let index = folded_workgroup(workgroup, workgroups);
  let group = index % GROUPS;
  let first = index / GROUPS * ${PIXELS * INVOCATIONS}u + local;
  if (first >= params.pixels) { return; }
  ${rowLines(
    tile,
    (row) => `let pixel${row} = first + ${row * INVOCATIONS}u;
  let src${row} = min(pixel${row}, params.pixels - 1u) * IC_QUADS;`,
  )}
  let columns = group * QUADS;
  ${cellLines(tile, (row, column) => `var sum${row}_${column} = vec4f();`)}
  for (var block = 0u; block < ${blocks.count}; block++) {
    ${cellLines(tile, (row, column) => `var c${row}_${column} = vec4f();`)}
    for (var step = 0u; step < ${blocks.steps}u; step++) {
      let k4 = block * ${blocks.steps}u + step;
      if (RAGGED && k4 >= IC_QUADS) { break; }
      let row_of_weights = 4u * k4 * GROUPS * QUADS + columns;
      ${rowLines(tile, (row) => `let a${row} = src[src${row} + k4];`)}
      ${multiplyLines(tile, (lane, column) => `weights[row_of_weights + ${lane}u * GROUPS * QUADS + ${column}u]`)}
    }
    ${cellLines(tile, (row, column) => `sum${row}_${column} = sum${row}_${column} + c${row}_${column};`)}
  }
  ${rowLines(tile, (row) => `if (pixel${row} < params.pixels) {\n${storeLines(spec, row)}\n}`)}
}`;
}
