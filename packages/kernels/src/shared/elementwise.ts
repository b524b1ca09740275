/**
 * What kernels that give every element (or vec4) of the result its own short computation have in common: the grid
 * and the `main` that walks it. An invocation handles several positions one workgroup apart, so that neighbouring
 * invocations touch neighbouring addresses.
 */
import { foldWorkgroups, type GpuCapabilities } from '@onegpu/core';
import { FOLDED_WORKGROUP } from './prelude.ts';

const WORKGROUP = 64;

/** Positions an invocation handles: a software adapter pays for each invocation, a GPU wants many of them. */
export type ItemsPerInvocation = 2 | 8;

export function itemsPerInvocation({ software }: GpuCapabilities): ItemsPerInvocation {
  return software ? 8 : 2;
}

/** Workgroups for `count` positions. */
export function elementwiseWorkgroups(
  count: number,
  target: GpuCapabilities,
): readonly [number, number, number] {
  const each = WORKGROUP * itemsPerInvocation(target);
  return foldWorkgroups(Math.ceil(count / each), target.limits.maxComputeWorkgroupsPerDimension);
}

/** `main`, which runs `body` with `position: u32` for every position below `params.count`. */
export function elementwiseMain(items: ItemsPerInvocation, body: string): string {
  return `${FOLDED_WORKGROUP}

@compute @workgroup_size(${WORKGROUP})
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  let first = folded_workgroup(group, groups) * ${WORKGROUP * items}u + invocation;
  for (var item = 0u; item < ${items}u; item++) {
    let position = first + item * ${WORKGROUP}u;
    if (position < params.count) {
      ${body}
    }
  }
}`;
}

/** `struct Params` with `count` first, padded to whole vec4, and its binding. */
export function paramsWgsl(binding: number, fields: readonly string[] = []): string {
  const padding = Array.from(
    { length: (4 - ((fields.length + 1) % 4)) % 4 },
    (_, index) => `pad${index}: u32`,
  );
  return `struct Params { ${['count: u32', ...fields, ...padding].join(', ')} }
@group(0) @binding(${binding}) var<uniform> params: Params;`;
}

/** The words of that struct. */
export function paramsWords(count: number, words: readonly number[] = []): Uint32Array {
  const data = new Uint32Array(Math.ceil((words.length + 1) / 4) * 4);
  data.set([count, ...words]);
  return data;
}
