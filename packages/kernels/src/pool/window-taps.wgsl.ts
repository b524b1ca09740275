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

/** Constants, `struct Params` (12 words), `fn window_of(index: u32)` and the functions of taps. */
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
}
struct Window {
  outer: u32,
  group: u32,
  origin_h: i32,
  origin_w: i32,
  first_h: u32,
  first_w: u32,
  end_h: u32,
  end_w: u32,
}
fn window_of(index: u32) -> Window {
  let pixel = index / INNER;
  let row = pixel / params.dst_width;
  let origin_h = i32(row % params.dst_height * STRIDE_H) - i32(params.pad_top);
  let origin_w = i32(pixel % params.dst_width * STRIDE_W) - i32(params.pad_left);
  return Window(
    row / params.dst_height,
    index % INNER,
    origin_h,
    origin_w,
    first_tap(origin_h, DILATION_H),
    first_tap(origin_w, DILATION_W),
    end_tap(origin_h, params.src_height, KERNEL_H, DILATION_H),
    end_tap(origin_w, params.src_width, KERNEL_W, DILATION_W),
  );
}
// src index of group 0 at column 0 of the row that tap kh reads; of a window of padding alone, some row.
fn tap_row(at: Window, kh: u32) -> u32 {
  let ih = u32(at.origin_h + i32(tap_inside(kh, at.first_h, at.end_h) * DILATION_H));
  return (at.outer * params.src_height + min(ih, params.src_height - 1u)) * params.src_width;
}
fn tap_column(at: Window, kw: u32) -> u32 {
  let iw = u32(at.origin_w + i32(tap_inside(kw, at.first_w, at.end_w) * DILATION_W));
  return min(iw, params.src_width - 1u);
}`;
}
