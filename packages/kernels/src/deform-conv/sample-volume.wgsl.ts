/**
 * WGSL that reads a moved tap of a volume: the eight voxels around its position with their trilinear weights, the four of
 * the plane before it and the four of the plane behind, and otherwise as in pictures.
 */
import { type VolumeWindow, volumeWindowWgsl } from '../shared/volume.ts';

/** The functions that `sampleWgsl` promises, for volumes; uses its names. */
export function volumeCornersWgsl(window: VolumeWindow): string {
  return `${volumeWindowWgsl(window)}

struct Corners {
  near: vec4u,
  far: vec4u,
  near_inside: vec4<bool>,
  far_inside: vec4<bool>,
  near_share: vec4f,
  far_share: vec4f,
  mask: f32,
}

fn corners(n: u32, group: u32, tap: u32, voxel: u32) -> Corners {
  let voxels = params.oh * params.ow;
  let plane = (n * OFFSET_GROUPS + group) * TAPS + tap;
  let first = 3u * plane * voxels + voxel;
  let moved = vec3f(offset[first], offset[first + voxels], offset[first + 2u * voxels]);
  let whole = floor(moved);
  let part = moved - whole;
  let out = vec3u(voxel / params.out_w / params.out_h, voxel / params.out_w % params.out_h, voxel % params.out_w);
  let taps = vec3u(tap / TAPS_W / TAPS_H, tap / TAPS_W % TAPS_H, tap % TAPS_W);
  let place = out * vec3u(STRIDE_D, STRIDE_H, STRIDE_W) + taps * vec3u(DILATION_D, DILATION_H, DILATION_W);
  let corner = vec3i(place) - vec3i(i32(params.pad_d), i32(params.pad_h), i32(params.pad_w))
    + vec3i(clamp(whole, vec3f(-FARTHEST), vec3f(FARTHEST)));
  let near_z = u32(corner.x);
  let far_z = u32(corner.x + 1);
  let y = vec4u(vec4i(corner.y) + vec4i(0, 0, 1, 1));
  let x = vec4u(vec4i(corner.z) + vec4i(0, 1, 0, 1));
  let flat_inside = (y < vec4u(params.in_h)) & (x < vec4u(params.in_w));
  let near_inside = flat_inside & vec4<bool>(near_z < params.in_d);
  let far_inside = flat_inside & vec4<bool>(far_z < params.in_d);
  let across = vec4f(1.0 - part.z, part.z, 1.0 - part.z, part.z);
  let along = vec4f(1.0 - part.y, 1.0 - part.y, part.y, part.y);
  let share = along * across;
  let flat_at = y * vec4u(params.in_w) + x;
  let flat_size = params.in_h * params.in_w;
  return Corners(
    select(vec4u(), vec4u(near_z * flat_size) + flat_at, near_inside),
    select(vec4u(), vec4u(far_z * flat_size) + flat_at, far_inside),
    near_inside,
    far_inside,
    select(vec4f(), share * (1.0 - part.x), near_inside),
    select(vec4f(), share * part.x, far_inside),
    mask_at(plane * voxels + voxel),
  );
}

fn sample(plane: u32, at: Corners) -> f32 {
  let near_at = vec4u(plane) + at.near;
  let far_at = vec4u(plane) + at.far;
  let near = select(vec4f(), vec4f(src[near_at.x], src[near_at.y], src[near_at.z], src[near_at.w]), at.near_inside);
  let far = select(vec4f(), vec4f(src[far_at.x], src[far_at.y], src[far_at.z], src[far_at.w]), at.far_inside);
  let upper = fma(at.near_share.y, near.y, at.near_share.x * near.x);
  let sum = fma(at.near_share.w, near.w, fma(at.near_share.z, near.z, upper));
  let lower = fma(at.far_share.y, far.y, fma(at.far_share.x, far.x, sum));
  return at.mask * fma(at.far_share.w, far.w, fma(at.far_share.z, far.z, lower));
}`;
}
