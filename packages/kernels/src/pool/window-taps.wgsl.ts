/**
 * WGSL of the taps of a pooling window that both kernels share. Along one axis the taps k = 0 .. kernel-1 lie at
 * origin + k*dilation, origin = output*stride - padBegin; those inside [0, limit) are k = first .. end-1.
 */
import { FLAT_INDEX } from '../shared/flat-grid.ts';

export interface WindowSpec {
  readonly lanes: 1 | 4;
  /** Groups of four channels, 1 in nchw. */
  readonly inner: number;
  readonly channels: number;
  readonly kernelH: number;
  readonly kernelW: number;
  readonly strideH: number;
  readonly strideW: number;
  readonly dilationH: number;
  readonly dilationW: number;
}

/** Constants, the uniform parameters (12 words) and `first_tap`, `end_tap`, `tap_inside`. */
export function windowTapsWgsl(spec: WindowSpec): string {
  return `
const INNER = ${spec.inner}u;
const KERNEL_H = ${spec.kernelH}u;
const KERNEL_W = ${spec.kernelW}u;
const STRIDE_H = ${spec.strideH}u;
const STRIDE_W = ${spec.strideW}u;
const DILATION_H = ${spec.dilationH}u;
const DILATION_W = ${spec.dilationW}u;

struct Params {
  total: u32,
  src_height: u32,
  src_width: u32,
  dst_height: u32,
  dst_width: u32,
  pad_top: u32,
  pad_left: u32,
  pad_bottom: u32,
  pad_right: u32,
  pad0: u32,
  pad1: u32,
  pad2: u32,
}
${FLAT_INDEX}
fn first_tap(origin: i32, dilation: u32) -> u32 {
  return (u32(max(-origin, 0)) + dilation - 1u) / dilation;
}
fn end_tap(origin: i32, limit: u32, kernel: u32, dilation: u32) -> u32 {
  return min((u32(max(i32(limit) - origin, 0)) + dilation - 1u) / dilation, kernel);
}
// The tap itself, or the nearest one inside the input.
fn tap_inside(tap: u32, first: u32, end: u32) -> u32 {
  return min(max(tap, first), max(end, 1u) - 1u);
}`;
}
