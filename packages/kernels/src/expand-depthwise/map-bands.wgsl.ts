/**
 * Expansion and depthwise convolution in one dispatch. A workgroup takes a picture, a band of rows of dst and a block of
 * wide channels (z, y and x of the grid): it makes the wide values of every pixel the band reads, as a product of
 * matrices over workgroup memory (`expand-tile.wgsl.ts`), puts them into a map with zeros around it, waits, and runs the
 * windows from there.
 *   map [rows, map_width, QUADS]; dst [batch, oh, ow, wide channels]
 * What is needed late (taps, biases, weights of a squeeze-excite) is loaded at the start, behind the first operands.
 */
import { type Activation, activateWgsl, activationMath } from '../shared/activation.ts';
import { mathWgsl } from '../shared/math.wgsl.ts';
import { type ParamsRecord, paramsStruct } from '../shared/params-block.ts';
import { maskLanesWgsl } from '../shared/prelude.ts';
import { expandConstants, firstLoadLines, keepLines, sumLines } from './expand-tile.wgsl.ts';
import { type MapTile, tileInvocations, tileQuads } from './map-tile.ts';
import { shareLines, shareLoadLines, squeezeBindings } from './share-lines.wgsl.ts';
import { windowLines } from './window-lines.wgsl.ts';

export interface MapBandsSpec {
  readonly tile: MapTile;
  /** Whether the last step may reach past the source channels. */
  readonly ragged: boolean;
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
  /** Only the names go into the text. */
  readonly params: ParamsRecord;
}

export function mapBandsWgsl(spec: MapBandsSpec): string {
  const { tile, expandActivation, activation, hidden, kh, kw } = spec;
  const invocations = tileInvocations(tile);
  const shares = hidden === undefined ? undefined : { tile, hidden };
  return `// src [batch, ih, iw, src_quads], dst [batch, oh, ow, wide_quads] of vec4f
${paramsStruct(spec.params)}
const INVOCATIONS = ${invocations}u;
const QUADS = ${tile.quads}u;
${expandConstants(tile)}
const TAPS = ${kh * kw}u;
const POSITIONS = ${tile.positions * tile.quads}u;

@group(0) @binding(0) var<storage, read> src: array<vec4f>;
@group(0) @binding(1) var<storage, read> expand_weights: array<vec4f>; // [source channels, wide_quads]
@group(0) @binding(2) var<storage, read> expand_bias: array<vec4f>;
@group(0) @binding(3) var<storage, read> weights: array<vec4f>; // [TAPS, wide_quads]
@group(0) @binding(4) var<storage, read> bias: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> dst: array<vec4f>;
${shares === undefined ? '' : squeezeBindings(shares)}
@group(0) @binding(${shares === undefined ? 6 : 8}) var<uniform> params: Params;
var<workgroup> tiles: array<vec4f, ${tileQuads(tile)}>;
var<workgroup> map: array<vec4f, POSITIONS>;
var<workgroup> taps: array<vec4f, TAPS * QUADS>;
// Of the expansion, then of the depthwise convolution.
var<workgroup> biases: array<vec4f, 2u * QUADS>;

${mathWgsl([...activationMath(expandActivation), ...activationMath(activation)])}
${activateWgsl(expandActivation, 'vec4f').replace('fn activate(', 'fn activate_wide(')}
${activateWgsl(activation, 'vec4f')}
${maskLanesWgsl('params.channels')}

@compute @workgroup_size(${invocations})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let first_quad = workgroup.x * QUADS;
  let image = workgroup.z;
  // Rows of dst, then the rows of src under them from the first row of the map on.
  let y_begin = workgroup.y * params.band_rows;
  let y_count = min(params.band_rows, params.oh - y_begin);
  let top = i32(y_begin * ${spec.strideH}u) - i32(params.pad_top);
  let bottom = top + i32((y_count - 1u) * ${spec.strideH}u + ${(kh - 1) * spec.dilationH + 1}u);
  let row_begin = min(max(top, 0), i32(params.ih) - 1);
  let pixels = u32(max(min(bottom, i32(params.ih)) - max(top, 0), 0)) * params.iw;
  let origin = (image * params.ih + u32(row_begin)) * params.iw;

  ${firstLoadLines(spec)}
  ${smallLoadLines(spec)}
  ${shares === undefined ? '' : shareLoadLines(shares)}
  for (var n = 0u; n < ${Math.ceil((tile.positions * tile.quads) / invocations)}u; n++) {
    if (local + n * INVOCATIONS < POSITIONS) { map[local + n * INVOCATIONS] = vec4f(); }
  }
  ${smallKeepLines(spec)}
  ${sumLines(spec)}
  ${keepLines(tile)}
  workgroupBarrier();
  ${windowLines(spec)}
  ${shares === undefined ? '' : shareLines(shares)}
}
`;
}

/** Taps and biases of the block, each by one invocation; the last block repeats the last vec4. */
function smallLoadLines({ tile, kh, kw }: MapBandsSpec): string {
  const loads = Array.from({ length: tapRounds(kh * kw, tile) }, (_, n) => n);
  return `let last_quad = params.wide_quads - 1u;
  ${loads
    .map(
      (n) => `let tap${n} = min(local + ${n}u * INVOCATIONS, TAPS * QUADS - 1u);
  let loaded_tap${n} = weights[tap${n} / QUADS * params.wide_quads + min(first_quad + tap${n} % QUADS, last_quad)];`,
    )
    .join('\n  ')}
  let own_quad = min(first_quad + local % QUADS, last_quad);
  let loaded_expand_bias = expand_bias[own_quad];
  let loaded_bias = bias[own_quad];`;
}

/** The same into workgroup memory, behind all loads, since they wait for them. */
function smallKeepLines({ tile, kh, kw }: MapBandsSpec): string {
  const loads = Array.from({ length: tapRounds(kh * kw, tile) }, (_, n) => n);
  return `${loads.map((n) => `if (local + ${n}u * INVOCATIONS < TAPS * QUADS) { taps[local + ${n}u * INVOCATIONS] = loaded_tap${n}; }`).join('\n  ')}
  if (local < QUADS) {
    biases[local] = loaded_expand_bias;
    biases[QUADS + local] = loaded_bias;
  }`;
}

function tapRounds(taps: number, tile: MapTile): number {
  return Math.ceil((taps * tile.quads) / tileInvocations(tile));
}
