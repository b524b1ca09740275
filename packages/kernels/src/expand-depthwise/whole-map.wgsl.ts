/**
 * Expansion and depthwise convolution of a small map in one dispatch: a workgroup takes a picture and a block of wide
 * channels, makes them for all pixels in workgroup memory, waits, and runs the depthwise windows from there.
 *   map[pixel, quad] = wide values; dst [batch, oh, ow, wide channels]
 */
import { type RegisterTile, rowLines } from '../gemm/tile-lines.ts';
import { type Activation, activateWgsl, activationMath } from '../shared/activation.ts';
import { divideExactWgsl } from '../shared/exact-divide.ts';
import { mathWgsl } from '../shared/math.wgsl.ts';
import { FOLDED_WORKGROUP, maskLanesWgsl } from '../shared/prelude.ts';

export const WHOLE_MAP_INVOCATIONS = 256;

/** What a workgroup takes: `quads` vec4 of wide channels; `rows` pixels an invocation at a time, `tiles` times. */
export interface MapTile {
  readonly quads: number;
  readonly rows: number;
  readonly tiles: number;
}

export interface WholeMapSpec {
  readonly tile: MapTile;
  readonly srcQuads: number;
  /** Wide channels. */
  readonly channels: number;
  readonly kh: number;
  readonly kw: number;
  readonly strideH: number;
  readonly strideW: number;
  readonly dilationH: number;
  readonly dilationW: number;
  readonly expandActivation: readonly Activation[];
  readonly activation: readonly Activation[];
  /** Hidden values of a squeeze-excite behind it, whose shares the kernel leaves too. */
  readonly hidden?: number;
}

/** Pixels a workgroup has room for. */
export function mapPixels({ quads, rows, tiles }: MapTile): number {
  return (WHOLE_MAP_INVOCATIONS / quads) * rows * tiles;
}

/** vec4 of source channels whose products are summed before they go to the total: 256 terms. */
const BLOCK_QUADS = 64;

export function wholeMapWgsl(spec: WholeMapSpec): string {
  const { tile, expandActivation, activation } = spec;
  const rows: RegisterTile = { rows: tile.rows, columns: 1 };
  const blocks = Math.ceil(spec.srcQuads / BLOCK_QUADS);
  const squeezes = spec.hidden !== undefined;
  return `// src [batch, ih, iw, SRC_QUADS], dst [batch, oh, ow, WIDE_QUADS] of vec4f
${FOLDED_WORKGROUP}
struct Params {
  batch: u32,
  ih: u32,
  iw: u32,
  oh: u32,
  ow: u32,
  pad_top: u32,
  pad_left: u32,
  unused: u32,
}
const QUADS = ${tile.quads}u;
const LANES = ${WHOLE_MAP_INVOCATIONS / tile.quads}u;
const SRC_QUADS = ${spec.srcQuads}u;
const WIDE_QUADS = ${Math.ceil(spec.channels / 4)}u;
const BLOCKS = ${Math.ceil(Math.ceil(spec.channels / 4) / tile.quads)}u;
const KH = ${spec.kh}u;
const KW = ${spec.kw}u;

@group(0) @binding(0) var<storage, read> src: array<vec4f>;
@group(0) @binding(1) var<storage, read> expand_weights: array<vec4f>; // [source channels, WIDE_QUADS]
@group(0) @binding(2) var<storage, read> expand_bias: array<vec4f>;
@group(0) @binding(3) var<storage, read> weights: array<vec4f>; // [KH, KW, WIDE_QUADS]
@group(0) @binding(4) var<storage, read> bias: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> dst: array<vec4f>;
${squeezes ? squeezeBindings(spec.hidden) : ''}@group(0) @binding(${squeezes ? 8 : 6}) var<uniform> params: Params;
var<workgroup> map: array<vec4f, ${mapPixels(tile) * tile.quads}>;

${mathWgsl([...activationMath(expandActivation), ...activationMath(activation)])}
${activateWgsl(expandActivation, 'vec4f').replace('fn activate(', 'fn activate_wide(')}
${activateWgsl(activation, 'vec4f')}
${maskLanesWgsl(spec.channels)}

@compute @workgroup_size(${WHOLE_MAP_INVOCATIONS})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) count: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let id = folded_workgroup(workgroup, count);
  let image = id / BLOCKS;
  if (image >= params.batch) { return; }
  let lane = local / QUADS;
  let quad = local % QUADS;
  // The last block may reach past the channels: it repeats the last vec4 and stores it once.
  let wide = min(id % BLOCKS * QUADS + quad, WIDE_QUADS - 1u);
  let pixels = params.ih * params.iw;
  for (var t = 0u; t < ${tile.tiles}u; t++) {
    let first = t * ${tile.rows}u * LANES + lane;
    ${rowLines(rows, (i) => `let at${i} = (image * pixels + min(first + ${i}u * LANES, pixels - 1u)) * SRC_QUADS;\n    var sum${i} = vec4f();`)}
    for (var block = 0u; block < ${blocks}u; block++) {
      ${rowLines(rows, (i) => `var c${i} = vec4f();`)}
      for (var q = 0u; q < ${Math.min(spec.srcQuads, BLOCK_QUADS)}u; q++) {
        let k = block * ${BLOCK_QUADS}u + q;
        ${blocks > 1 ? 'if (k >= SRC_QUADS) { break; }' : ''}
        ${rowLines(rows, (i) => `let a${i} = src[at${i} + k];`)}
        ${[0, 1, 2, 3].map((c) => `let w${c} = expand_weights[(4u * k + ${c}u) * WIDE_QUADS + wide];`).join('\n')}
        ${rowLines(rows, (i) => `c${i} = ${fourTerms(i)};`)}
      }
      ${rowLines(rows, (i) => `sum${i} = sum${i} + c${i};`)}
    }
    ${rowLines(rows, (i) => `map[(first + ${i}u * LANES) * QUADS + quad] = activate_wide(sum${i} + expand_bias[wide]);`)}
  }
  workgroupBarrier();
  let mine = id % BLOCKS * QUADS + quad == wide;
  ${squeezes ? 'var total = vec4f();' : ''}
  for (var step = 0u; step < ${tile.rows * tile.tiles}u; step++) {
    let pixel = step * LANES + lane;
    let y = pixel / params.ow;
    let x = pixel % params.ow;
    if (mine & (y < params.oh)) {
      let top = i32(y * ${spec.strideH}u) - i32(params.pad_top);
      let left = i32(x * ${spec.strideW}u) - i32(params.pad_left);
      var sum = vec4f();
      for (var r = 0u; r < KH; r++) {
        let sy = u32(top + i32(r * ${spec.dilationH}u));
        var line = vec4f();
        for (var s = 0u; s < KW; s++) {
          let sx = u32(left + i32(s * ${spec.dilationW}u));
          let inside = (sy < params.ih) & (sx < params.iw);
          let value = select(vec4f(), map[min(select(0u, sy * params.iw + sx, inside), ${mapPixels(tile) - 1}u) * QUADS + quad], inside);
          line = fma(value, weights[(r * KW + s) * WIDE_QUADS + wide], line);
        }
        sum = sum + line;
      }
      let value = mask_lanes(activate(sum + bias[wide]), wide);
      dst[((image * params.oh + y) * params.ow + x) * WIDE_QUADS + wide] = value;
      ${squeezes ? 'total = total + value;' : ''}
    }
  }
  ${squeezes ? squeezeLines(tile) : ''}
}
`;
}

function squeezeBindings(hidden = 0): string {
  return `@group(0) @binding(6) var<storage, read> squeeze_weights: array<vec4f>; // [wide channels, HIDDEN_QUADS]
@group(0) @binding(7) var<storage, read_write> shares: array<vec4f>; // [batch, BLOCKS, HIDDEN_QUADS]
const HIDDEN_QUADS = ${Math.ceil(hidden / 4)}u;
${divideExactWgsl(4)}
`;
}

/** Means of the workgroup's channels over all pixels, in the memory of the map, and what they add to the hidden sums. */
function squeezeLines({ quads }: MapTile): string {
  const halves: number[] = [];
  for (let half = WHOLE_MAP_INVOCATIONS / quads / 2; half >= 1; half /= 2) halves.push(half);
  return `workgroupBarrier();
  map[local] = total;
  workgroupBarrier();
  ${halves
    .map(
      (half) => `if (lane < ${half}u) { map[local] = map[local] + map[local + ${half * quads}u]; }
  workgroupBarrier();`,
    )
    .join('\n  ')}
  if (local < HIDDEN_QUADS) {
    var share = vec4f();
    for (var q = 0u; q < QUADS; q++) {
      let mean = divide_exact(map[q], params.oh * params.ow);
      let row = 4u * (id % BLOCKS * QUADS + q);
      for (var c = 0u; c < 4u; c++) {
        share = fma(vec4f(mean[c]), squeeze_weights[(row + c) * HIDDEN_QUADS + local], share);
      }
    }
    shares[id * HIDDEN_QUADS + local] = share;
  }`;
}

/** Four channels added to a pixel in order. */
function fourTerms(i: number): string {
  return ['x', 'y', 'z', 'w'].reduce((sum, lane, c) => `fma(vec4f(a${i}.${lane}), w${c}, ${sum})`, `c${i}`);
}
