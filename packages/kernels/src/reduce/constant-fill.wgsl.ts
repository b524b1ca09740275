/**
 * Fills dst with one 32-bit pattern: the result of reducing or pooling over no elements at all. dst is rows of
 * `stored` words of which the first `channels` are real and the rest, the padding lanes of `nhwc4`, hold zero.
 */
import { FOLDED_WORKGROUP } from '../shared/prelude.ts';

export interface ConstantFillSpec {
  readonly workgroupSize: number;
}

export function constantFillWgsl(spec: ConstantFillSpec): string {
  return `
struct Params { total: u32, bits: u32, channels: u32, stored: u32 }
@group(0) @binding(0) var<storage, read_write> dst: array<u32>;
@group(0) @binding(1) var<uniform> params: Params;
${FOLDED_WORKGROUP}
@compute @workgroup_size(${spec.workgroupSize})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) count: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let index = folded_workgroup(workgroup, count) * ${spec.workgroupSize}u + local;
  if (index < params.total) {
    dst[index] = select(0u, params.bits, index % params.stored < params.channels);
  }
}`;
}
