/**
 * Direct convolution: one invocation sums one output element from unpacked weights. Serves both layouts, any
 * groups, and weights that are not constant; the terms k = (channel, tap row, tap column) are summed in blocks of
 * 256.
 */
import { FOLDED_WORKGROUP } from '../shared/prelude.ts';
import { CONV_PARAMS_WGSL } from './plan.ts';

export interface DirectSpec {
  readonly layout: 'nchw' | 'nhwc4';
  readonly ic: number;
  readonly oc: number;
  readonly kh: number;
  readonly kw: number;
  readonly groups: number;
  readonly strideH: number;
  readonly strideW: number;
  readonly dilationH: number;
  readonly dilationW: number;
  readonly workgroupSize: number;
  /** Binding of the uniform parameters. */
  readonly paramsBinding: number;
  /** WGSL of the epilogue for f32, and of `gate` where src has one. */
  readonly epilogue: string;
  readonly gated: boolean;
}

export function directWgsl(spec: DirectSpec): string {
  return `// Direct convolution. src, dst: [batch, channels, height, width] or [batch, height, width, padded channels]
${FOLDED_WORKGROUP}
${CONV_PARAMS_WGSL}
const CHANNELS_LAST = ${spec.layout === 'nhwc4'};
const IC = ${spec.ic}u;
const OC = ${spec.oc}u;
const IC_STORED = ${Math.ceil(spec.ic / 4) * 4}u;
const OC_STORED = ${spec.layout === 'nhwc4' ? Math.ceil(spec.oc / 4) * 4 : spec.oc}u;
const IC_GROUP = ${spec.ic / spec.groups}u;
const OC_GROUP = ${spec.oc / spec.groups}u;
const KW = ${spec.kw}u;
const TAPS = ${spec.kh * spec.kw}u;
const TERMS = IC_GROUP * TAPS;
const BLOCKS = (TERMS + 255u) / 256u;
const BLOCK_TERMS = min(TERMS, 256u);

@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read> weights: array<f32>; // [oc, IC_GROUP, kh, kw]
@group(0) @binding(2) var<storage, read_write> dst: array<f32>;
@group(0) @binding(${spec.paramsBinding}) var<uniform> params: Params;
${spec.epilogue}

fn load_src(n: u32, c: u32, y: i32, x: i32) -> f32 {
  let uy = u32(y);
  let ux = u32(x);
  let inside = (uy < params.ih) & (ux < params.iw);
  var index = ((n * IC + c) * params.ih + uy) * params.iw + ux;
  if (CHANNELS_LAST) { index = ((n * params.ih + uy) * params.iw + ux) * IC_STORED + c; }
  let value = src[select(0u, index, inside)]${spec.gated ? ' * gate[n * (select(IC, IC_STORED, CHANNELS_LAST)) + c]' : ''};
  return select(0.0, value, inside);
}

@compute @workgroup_size(${spec.workgroupSize})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) count: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let id = folded_workgroup(workgroup, count) * ${spec.workgroupSize}u + lane;
  let pixels = params.oh * params.ow;
  var channel = id / pixels % OC_STORED;
  var pixel = id % pixels;
  if (CHANNELS_LAST) {
    channel = id % OC_STORED;
    pixel = id / OC_STORED % pixels;
  }
  let n = id / (pixels * OC_STORED);
  if (n >= params.batch) { return; }
  if (channel >= OC) {
    dst[id] = 0.0;
    return;
  }
  let top = i32(pixel / params.ow * ${spec.strideH}u) - i32(params.pad_top);
  let left = i32(pixel % params.ow * ${spec.strideW}u) - i32(params.pad_left);
  let first = channel / OC_GROUP * IC_GROUP;
  var total = 0.0;
  for (var block = 0u; block < BLOCKS; block++) {
    var sum = 0.0;
    for (var j = 0u; j < BLOCK_TERMS; j++) {
      let k = block * 256u + j;
      let tap = k % TAPS;
      if (k < TERMS) {
        let y = top + i32(tap / KW * ${spec.dilationH}u);
        let x = left + i32(tap % KW * ${spec.dilationW}u);
        sum = fma(load_src(n, first + k / TAPS, y, x), weights[channel * TERMS + k], sum);
      }
    }
    total += sum;
  }
  dst[id] = finish(total, channel, id);
}
`;
}
