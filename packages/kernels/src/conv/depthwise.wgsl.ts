/**
 * Depthwise convolution, channels last: one invocation makes a strip of `width` output pixels of one line for four
 * channels. For each tap row it loads the columns the strip touches once and uses them for every tap from registers.
 *   dst[n, y, x, c] = sum over (r, s) of src[n, y * strideH - padTop + r * dilationH, ..., c] * weights[r, s, c]
 * Each tap row is a block of its own (at most 256 terms), added to the total in order. Channels and the tap rows are
 * parameters, so layers that differ in them share a pipeline.
 */
import { type ParamsRecord, paramsStruct } from '../shared/params-block.ts';
import { FOLDED_WORKGROUP } from '../shared/prelude.ts';
import { type WeightsLoad, weightsStreamWgsl } from './weights-stream.wgsl.ts';

export const DEPTHWISE_INVOCATIONS = 64;

export interface DepthwiseSpec {
  /** Output pixels of a strip. */
  readonly width: number;
  /**
   * What neighbouring invocations differ in: `strips` share the weights' addresses, `channels` make neighbouring
   * loads on hardware.
   */
  readonly neighbours: 'strips' | 'channels';
  /** `broadcast` only where neighbours are strips. */
  readonly weightsLoad: WeightsLoad;
  readonly kw: number;
  readonly strideW: number;
  readonly dilationW: number;
  /** Only the names go into the text. */
  readonly params: ParamsRecord;
  readonly paramsBinding: number;
  /** WGSL of the epilogue for vec4f, and of `mask_lanes`. */
  readonly epilogue: string;
}

export function depthwiseWgsl(spec: DepthwiseSpec): string {
  const { strideW, dilationW } = spec;
  const pixels = Array.from({ length: spec.width }, (_, pixel) => pixel);
  const taps = Array.from({ length: spec.kw }, (_, tap) => tap);
  const columns = stripColumns(spec);
  const weights = weightsStreamWgsl(spec.weightsLoad);
  const lines = <T>(items: readonly T[], line: (item: T) => string): string => items.map(line).join('\n');
  return `${weights.directives}
// src [batch, ih, iw, quads], weights [kh, kw, quads], dst [batch, oh, ow, quads] of vec4f
${FOLDED_WORKGROUP}
${paramsStruct(spec.params)}
const WIDTH = ${spec.width}u;
const KW = ${spec.kw}u;
const NEIGHBOURS_ARE_STRIPS = ${spec.neighbours === 'strips'};

@group(0) @binding(0) var<storage, read> src: array<vec4f>;
${weights.binding}
@group(0) @binding(2) var<storage, read_write> dst: array<vec4f>;
@group(0) @binding(${spec.paramsBinding}) var<uniform> params: Params;
${spec.epilogue}

@compute @workgroup_size(${DEPTHWISE_INVOCATIONS})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) count: vec3u,
  @builtin(local_invocation_index) lane: u32${weights.builtins}
) {
  let id = folded_workgroup(workgroup, count) * ${DEPTHWISE_INVOCATIONS}u + lane;
  let quad = select(id % params.quads, id / params.row_blocks, NEIGHBOURS_ARE_STRIPS);
  let strip = select(id / params.quads, id % params.row_blocks, NEIGHBOURS_ARE_STRIPS);
  let line_strips = (params.ow + WIDTH - 1u) / WIDTH;
  let line = strip / line_strips; // n * oh + y
  let out_x = strip % line_strips * WIDTH;
  let image = line / params.oh;
  // Invocations behind the last image stay: others of their subgroup need them.
  if (quad >= params.quads) { return; }
  let live = image < params.batch;
  let top = i32(line % params.oh * params.stride_h) - i32(params.pad_top);
  let left = i32(out_x * ${strideW}u) - i32(params.pad_left);
  ${lines(
    columns,
    (q) => `let x${q} = u32(left + ${q});
  let inside${q} = x${q} < params.iw;
  let column${q} = select(0u, x${q}, inside${q});`,
  )}
  var sums = array<vec4f, WIDTH>();
  for (var r = 0u; r < params.kh; r++) {
    let y = u32(top + i32(r * params.dilation_h));
    let inside = live & (y < params.ih);
    let source_line = select(0u, (image * params.ih + y) * params.iw, inside);
    ${lines(columns, (q) => `let v${q} = select(vec4f(), src[(source_line + column${q}) * params.quads + quad], inside & inside${q});`)}
    ${lines(taps, (s) => weights.load(`w${s}`, `(r * KW + ${s}u) * params.quads + quad`))}
    ${lines(
      pixels,
      (p) =>
        `sums[${p}] = sums[${p}] + ${taps
          .slice(1)
          .reduce(
            (sum, s) => `fma(v${p * strideW + s * dilationW}, w${s}, ${sum})`,
            `v${p * strideW} * w0`,
          )};`,
    )}
  }
  let at = (line * params.ow + out_x) * params.quads + quad;
  // One text of the epilogue for all pixels: inlined once a pixel it is most of the compile time.
  for (var p = 0u; p < WIDTH; p++) {
    if (live & (out_x + p < params.ow)) {
      dst[at + p * params.quads] = mask_lanes(finish(sums[p], quad, at + p * params.quads), quad);
    }
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
