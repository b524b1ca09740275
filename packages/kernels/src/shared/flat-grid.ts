/**
 * Grid of kernels whose invocations each make one stored element: 64 a workgroup, workgroups folded over x and y
 * where there are more than a dimension takes.
 */
import { foldWorkgroups, type GpuCapabilities } from '@onegpu/core';
import { FOLDED_WORKGROUP } from './prelude.ts';

const WORKGROUP_SIZE = 64;

/** Workgroups for `total` invocations; none for none. */
export function flatWorkgroups(total: number, target: GpuCapabilities): readonly [number, number, number] {
  return foldWorkgroups(Math.ceil(total / WORKGROUP_SIZE), target.limits.maxComputeWorkgroupsPerDimension);
}

/** Parameters of `main`, to stand between its brackets. */
export const FLAT_BUILTINS =
  '@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) local: u32';

/** Attributes of `main`. */
export const FLAT_COMPUTE = `@compute @workgroup_size(${WORKGROUP_SIZE})`;

/** `fn flat_index(workgroup: vec3u, count: vec3u, local: u32) -> u32`, the invocation's number in the whole grid. */
export const FLAT_INDEX = `${FOLDED_WORKGROUP}
fn flat_index(workgroup: vec3u, count: vec3u, local: u32) -> u32 {
  return folded_workgroup(workgroup, count) * ${WORKGROUP_SIZE}u + local;
}`;
