/**
 * First pass of im2col + GEMM: lays the taps of every output pixel out as one row of a matrix,
 * columns[m, k] = src[pixel of m at the tap of k, channel of k], k = (tap, channel) with the channel running first.
 * Words are moved unread, so every bit pattern survives.
 */
import { FOLDED_WORKGROUP } from '../shared/prelude.ts';
import { CONV_PARAMS_WGSL } from './plan.ts';

export const IM2COL_INVOCATIONS = 64;

export interface Im2colSpec {
  readonly layout: 'nchw' | 'nhwc4';
  readonly ic: number;
  readonly kh: number;
  readonly kw: number;
  readonly strideH: number;
  readonly strideW: number;
  readonly dilationH: number;
  readonly dilationW: number;
}

export function im2colWgsl(spec: Im2colSpec): string {
  return `// src [batch, ih, iw, IC_STORED] or [batch, IC, ih, iw], columns [rows, TERMS]
${FOLDED_WORKGROUP}
${CONV_PARAMS_WGSL}
const CHANNELS_LAST = ${spec.layout === 'nhwc4'};
const IC = ${spec.ic}u;
const IC_STORED = ${Math.ceil(spec.ic / 4) * 4}u;
const KW = ${spec.kw}u;
const TERMS = ${spec.kh * spec.kw * spec.ic}u;

@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> columns: array<f32>;
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(${IM2COL_INVOCATIONS})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) count: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let id = folded_workgroup(workgroup, count) * ${IM2COL_INVOCATIONS}u + lane;
  let row = id / TERMS;
  if (row >= params.rows) { return; }
  let m = params.row_begin + row;
  let tap = id % TERMS / IC;
  let channel = id % IC;
  let image = m / params.ow / params.oh;
  let y = u32(i32(m / params.ow % params.oh * ${spec.strideH}u + tap / KW * ${spec.dilationH}u) - i32(params.pad_top));
  let x = u32(i32(m % params.ow * ${spec.strideW}u + tap % KW * ${spec.dilationW}u) - i32(params.pad_left));
  var at = ((image * IC + channel) * params.ih + y) * params.iw + x;
  if (CHANNELS_LAST) { at = ((image * params.ih + y) * params.iw + x) * IC_STORED + channel; }
  let inside = (y < params.ih) & (x < params.iw);
  columns[id] = select(0.0, src[select(0u, at, inside)], inside);
}
`;
}
