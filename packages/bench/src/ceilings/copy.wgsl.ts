/**
 * Copy: `dst[i] = src[i]` over vec4, PER_INVOCATION of them each, neighbouring invocations on neighbouring elements.
 * The grid covers the buffers exactly: workgroups * WORKGROUP * PER_INVOCATION vec4, nothing outside them.
 * The words are moved as integers, and `fillWgsl` writes a pattern into the source: memory of zeros may be compressed.
 */
export interface CopySpec {
  /** Invocations of a workgroup. */
  readonly workgroup: number;
  /** vec4 copied by each invocation. */
  readonly perInvocation: number;
}

export function copyWgsl({ workgroup, perInvocation }: CopySpec): string {
  return `
const WORKGROUP = ${workgroup}u;
const PER_INVOCATION = ${perInvocation}u;

@group(0) @binding(0) var<storage, read> src: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> dst: array<vec4u>;

@compute @workgroup_size(WORKGROUP)
fn main(
  @builtin(workgroup_id) id: vec3u,
  @builtin(num_workgroups) count: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let first = (id.x + id.y * count.x) * (WORKGROUP * PER_INVOCATION) + local;
  for (var i = 0u; i < PER_INVOCATION; i++) {
    dst[first + i * WORKGROUP] = src[first + i * WORKGROUP];
  }
}`;
}

/** Fills the source: word i becomes `fillWord(i)`. The same grid as the copy's, for any spec. */
export function fillWgsl({ workgroup, perInvocation }: CopySpec): string {
  return `
const WORKGROUP = ${workgroup}u;
const PER_INVOCATION = ${perInvocation}u;

@group(0) @binding(0) var<storage, read_write> src: array<vec4u>;

@compute @workgroup_size(WORKGROUP)
fn main(
  @builtin(workgroup_id) id: vec3u,
  @builtin(num_workgroups) count: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let first = (id.x + id.y * count.x) * (WORKGROUP * PER_INVOCATION) + local;
  for (var i = 0u; i < PER_INVOCATION; i++) {
    let element = first + i * WORKGROUP;
    src[element] = (vec4u(4u * element) + vec4u(0u, 1u, 2u, 3u)) * ${MULTIPLIER}u;
  }
}`;
}

/** 2^32 over the golden ratio, odd: neighbouring words share no bits. */
const MULTIPLIER = 2654435769;

/** Word `index` of the source. */
export function fillWord(index: number): number {
  return Math.imul(index, MULTIPLIER) >>> 0;
}
