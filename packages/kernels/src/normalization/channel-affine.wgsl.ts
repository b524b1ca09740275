/**
 * Batch normalisation in two passes. The first makes three numbers a channel,
 *
 *   coefficients[group][mean | factor | bias][lane],  factor = scale / sqrt(variance + epsilon),
 *
 * with a group of 1 channel in nchw and 4 in nhwc4 (padding lanes zero); the second applies them:
 * dst = (src - mean) * factor + bias. The mean is subtracted first, so a large mean costs no accuracy.
 */

import { floatLiteral } from '../shared/activation.ts';
import { FLAT_BUILTINS, FLAT_COMPUTE, FLAT_INDEX } from '../shared/flat-grid.ts';

export interface CoefficientsSpec {
  readonly channels: number;
  readonly storedChannels: number;
  readonly lanes: 1 | 4;
  readonly epsilon: number;
}

export function channelCoefficientsWgsl(spec: CoefficientsSpec): string {
  return `
const CHANNELS = ${spec.channels}u;
const STORED = ${spec.storedChannels}u;
const LANES = ${spec.lanes}u;
const EPSILON = ${floatLiteral(spec.epsilon)};
@group(0) @binding(0) var<storage, read> scale: array<f32>;     // [channels]
@group(0) @binding(1) var<storage, read> bias: array<f32>;      // [channels]
@group(0) @binding(2) var<storage, read> mean: array<f32>;      // [channels]
@group(0) @binding(3) var<storage, read> variance: array<f32>;  // [channels]
@group(0) @binding(4) var<storage, read_write> coefficients: array<f32>;

${FLAT_INDEX}

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let channel = flat_index(workgroup, count, local);
  if (channel >= STORED) { return; }
  let base = (channel / LANES) * 3u * LANES + channel % LANES;
  var values = vec3f();
  if (channel < CHANNELS) {
    values = vec3f(mean[channel], scale[channel] / sqrt(variance[channel] + EPSILON), bias[channel]);
  }
  coefficients[base] = values.x;
  coefficients[base + LANES] = values.y;
  coefficients[base + 2u * LANES] = values.z;
}`;
}

export interface ChannelAffineSpec {
  readonly groups: number;
  readonly lanes: 1 | 4;
}

export function channelAffineWgsl(spec: ChannelAffineSpec): string {
  const type = spec.lanes === 4 ? 'vec4f' : 'f32';
  return `
const GROUPS = ${spec.groups}u;
struct Params { total: u32, inner: u32, pad0: u32, pad1: u32 }
@group(0) @binding(0) var<storage, read> src: array<${type}>;           // [..., GROUPS, inner]
@group(0) @binding(1) var<storage, read> coefficients: array<${type}>;  // [GROUPS, 3]
@group(0) @binding(2) var<storage, read_write> dst: array<${type}>;
@group(0) @binding(3) var<uniform> params: Params;
${FLAT_INDEX}

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let at = (index / params.inner % GROUPS) * 3u;
  dst[index] = fma(src[index] - coefficients[at], coefficients[at + 1u], coefficients[at + 2u]);
}`;
}
