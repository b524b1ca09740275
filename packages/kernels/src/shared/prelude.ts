/** WGSL fragments every kernel shares. */

/** Index of the workgroup when the grid was folded over x and y by `foldWorkgroups`. */
export const FOLDED_WORKGROUP = `
fn folded_workgroup(id: vec3u, count: vec3u) -> u32 {
  return id.x + id.y * count.x;
}`;

/**
 * `fn mask_lanes(value: T, group: u32) -> T`: zeroes the padding lanes of the last channel group, keeping the
 * promise of `nhwc4`. Free when `channels` is a multiple of four. Kernels that move bits take it on `vec4u`. A string
 * is the WGSL of a channel count that is a parameter.
 */
export function maskLanesWgsl(channels: number | string, type: 'vec4f' | 'vec4u' = 'vec4f'): string {
  if (typeof channels === 'string') {
    return `fn mask_lanes(value: ${type}, group: u32) -> ${type} {
  return select(${type}(), value, vec4u(4u * group) + vec4u(0u, 1u, 2u, 3u) < vec4u(${channels}));
}`;
  }
  const rest = channels % 4;
  if (rest === 0) return `fn mask_lanes(value: ${type}, group: u32) -> ${type} { return value; }`;
  const last = Math.floor(channels / 4);
  const lanes = [0, 1, 2, 3].map((lane) => (lane < rest ? 'true' : 'false')).join(', ');
  return `fn mask_lanes(value: ${type}, group: u32) -> ${type} {
  return select(value, select(${type}(), value, vec4<bool>(${lanes})), group == ${last}u);
}`;
}
