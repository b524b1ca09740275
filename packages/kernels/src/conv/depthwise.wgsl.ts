/**
 * Depthwise convolution, channels last: one invocation makes a strip of `width` output pixels of one line for four
 * channels. For each tap row it loads the columns the strip touches once and uses them for every tap from registers.
 *   dst[n, y, x, c] = sum over (r, s) of src[n, y * strideH - padTop + r * dilationH, ..., c] * weights[r, s, c]
 * Each tap row is a block of its own (at most 256 terms), added to the total in order.
 */
import { FOLDED_WORKGROUP } from '../shared/prelude.ts';
import { CONV_PARAMS_WGSL } from './plan.ts';

export const DEPTHWISE_INVOCATIONS = 64;

export interface DepthwiseSpec {
  /** Output pixels of a strip. */
  readonly width: number;
  /**
   * What neighbouring invocations differ in: `strips` share the weights' addresses, `channels` make neighbouring
   * loads on hardware.
   */
  readonly neighbours: 'strips' | 'channels';
  readonly kh: number;
  readonly kw: number;
  readonly strideH: number;
  readonly strideW: number;
  readonly dilationH: number;
  readonly dilationW: number;
  /** vec4 of channels. */
  readonly quads: number;
  readonly paramsBinding: number;
  /** WGSL of the epilogue for vec4f, and of `mask_lanes`. */
  readonly epilogue: string;
}

export function depthwiseWgsl(spec: DepthwiseSpec): string {
  const { strideW, dilationW } = spec;
  const pixels = Array.from({ length: spec.width }, (_, pixel) => pixel);
  const taps = Array.from({ length: spec.kw }, (_, tap) => tap);
  const columns = stripColumns(spec);
  const lines = <T>(items: readonly T[], line: (item: T) => string): string => items.map(line).join('\n');
  return `// src [batch, ih, iw, QUADS], weights [kh, kw, QUADS], dst [batch, oh, ow, QUADS] of vec4f
${FOLDED_WORKGROUP}
${CONV_PARAMS_WGSL}
const WIDTH = ${spec.width}u;
const QUADS = ${spec.quads}u;
const KH = ${spec.kh}u;
const KW = ${spec.kw}u;
const NEIGHBOURS_ARE_STRIPS = ${spec.neighbours === 'strips'};

@group(0) @binding(0) var<storage, read> src: array<vec4f>;
@group(0) @binding(1) var<storage, read> weights: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> dst: array<vec4f>;
@group(0) @binding(${spec.paramsBinding}) var<uniform> params: Params;
${spec.epilogue}

@compute @workgroup_size(${DEPTHWISE_INVOCATIONS})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) count: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let id = folded_workgroup(workgroup, count) * ${DEPTHWISE_INVOCATIONS}u + lane;
  let quad = select(id % QUADS, id / params.row_blocks, NEIGHBOURS_ARE_STRIPS);
  let strip = select(id / QUADS, id % params.row_blocks, NEIGHBOURS_ARE_STRIPS);
  let line_strips = (params.ow + WIDTH - 1u) / WIDTH;
  let line = strip / line_strips; // n * oh + y
  let out_x = strip % line_strips * WIDTH;
  let image = line / params.oh;
  if ((quad >= QUADS) | (image >= params.batch)) { return; }
  let top = i32(line % params.oh * ${spec.strideH}u) - i32(params.pad_top);
  let left = i32(out_x * ${strideW}u) - i32(params.pad_left);
  ${lines(
    columns,
    (q) => `let x${q} = u32(left + ${q});
  let inside${q} = x${q} < params.iw;
  let column${q} = select(0u, x${q}, inside${q});`,
  )}
  ${lines(pixels, (p) => `var sum${p} = vec4f();`)}
  for (var r = 0u; r < KH; r++) {
    let y = u32(top + i32(r * ${spec.dilationH}u));
    let inside = y < params.ih;
    let source_line = (image * params.ih + select(0u, y, inside)) * params.iw;
    ${lines(columns, (q) => `let v${q} = select(vec4f(), src[(source_line + column${q}) * QUADS + quad], inside & inside${q});`)}
    ${lines(taps, (s) => `let w${s} = weights[(r * KW + ${s}u) * QUADS + quad];`)}
    ${lines(
      pixels,
      (p) => `var c${p} = v${p * strideW} * w0;
    ${lines(taps.slice(1), (s) => `c${p} = fma(v${p * strideW + s * dilationW}, w${s}, c${p});`)}
    sum${p} = sum${p} + c${p};`,
    )}
  }
  let at = (line * params.ow + out_x) * QUADS + quad;
  // One text of the epilogue for all pixels: inlined once a pixel it is most of the compile time.
  var sums = array<vec4f, WIDTH>(${lines(pixels, (p) => `sum${p},`)});
  for (var p = 0u; p < WIDTH; p++) {
    if (out_x + p < params.ow) { dst[at + p * QUADS] = mask_lanes(finish(sums[p], quad, at + p * QUADS), quad); }
  }
}
`;
}

/** Source columns a strip touches, counted from its leftmost one. */
export function stripColumns(spec: Pick<DepthwiseSpec, 'width' | 'kw' | 'strideW' | 'dilationW'>): number[] {
  const columns = new Set<number>();
  for (let pixel = 0; pixel < spec.width; pixel++) {
    for (let tap = 0; tap < spec.kw; tap++) columns.add(pixel * spec.strideW + tap * spec.dilationW);
  }
  return [...columns].sort((a, b) => a - b);
}
