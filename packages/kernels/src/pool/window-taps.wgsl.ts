/**
 * WGSL of the taps of a pooling window that all kernels share. Along one axis the taps k = 0 .. kernel-1 lie at
 * origin + k*dilation, origin = output*stride - padBegin; those inside [0, limit) are k = first .. end-1.
 */
import { FLAT_INDEX } from '../shared/flat-grid.ts';
import { paramsBlock, paramsStruct } from '../shared/params-block.ts';
import type { PoolProblem } from './problem.ts';
import { volumeElements } from './volume.ts';

export interface WindowSpec {
  readonly lanes: 1 | 4;
  /** Groups of four channels, 1 in nchw. */
  readonly inner: number;
  readonly channels: number;
  /** Depth, height, width. */
  readonly kernel: readonly [number, number, number];
  readonly stride: readonly [number, number, number];
  readonly dilation: readonly [number, number, number];
  /** Whether there are three spatial axes; otherwise the depth is 1 everywhere. */
  readonly deep: boolean;
}

export function windowSpec(problem: PoolProblem): WindowSpec {
  const { src, srcDims, depth, height, width, channels } = problem;
  return {
    lanes: src.lanes,
    inner: Math.max(src.inner, 1),
    channels,
    kernel: [depth.kernel, height.kernel, width.kernel],
    stride: [depth.stride, height.stride, width.stride],
    dilation: [depth.dilation, height.dilation, width.dilation],
    deep: srcDims.length === 5,
  };
}

/** Words of the uniform block of a problem. */
export function windowParams(problem: PoolProblem): Uint32Array {
  return paramsBlock(paramsRecord(problem));
}

function paramsRecord({ src, dst, depth, height, width }: PoolProblem): Record<string, number> {
  return {
    total: volumeElements(dst),
    src_depth: src.depth,
    src_height: src.height,
    src_width: src.width,
    dst_depth: dst.depth,
    dst_height: dst.height,
    dst_width: dst.width,
    pad_front: depth.padBegin,
    pad_top: height.padBegin,
    pad_left: width.padBegin,
    pad_back: depth.padEnd,
    pad_bottom: height.padEnd,
    pad_right: width.padEnd,
  };
}

/** Constants, `struct Params`, `fn window_of(index: u32)` and the functions of taps. */
export function windowTapsWgsl(problem: PoolProblem): string {
  const spec = windowSpec(problem);
  const [kernelD, kernelH, kernelW] = spec.kernel;
  const [strideD, strideH, strideW] = spec.stride;
  const [dilationD, dilationH, dilationW] = spec.dilation;
  return `
const INNER = ${spec.inner}u;
const DEEP = ${spec.deep};
const KERNEL_D = ${kernelD}u;
const KERNEL_H = ${kernelH}u;
const KERNEL_W = ${kernelW}u;
const STRIDE_D = ${strideD}u;
const STRIDE_H = ${strideH}u;
const STRIDE_W = ${strideW}u;
const DILATION_D = ${dilationD}u;
const DILATION_H = ${dilationH}u;
const DILATION_W = ${dilationW}u;

${paramsStruct(paramsRecord(problem))}
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
  origin_d: i32,
  origin_h: i32,
  origin_w: i32,
  first_d: u32,
  first_h: u32,
  first_w: u32,
  end_d: u32,
  end_h: u32,
  end_w: u32,
}
fn window_of(index: u32) -> Window {
  let pixel = index / INNER;
  let row = pixel / params.dst_width;
  var outer = row / params.dst_height;
  var origin_d = 0i;
  var first_d = 0u;
  var end_d = 1u;
  if (DEEP) {
    origin_d = i32(outer % params.dst_depth * STRIDE_D) - i32(params.pad_front);
    outer = outer / params.dst_depth;
    first_d = first_tap(origin_d, DILATION_D);
    end_d = end_tap(origin_d, params.src_depth, KERNEL_D, DILATION_D);
  }
  let origin_h = i32(row % params.dst_height * STRIDE_H) - i32(params.pad_top);
  let origin_w = i32(pixel % params.dst_width * STRIDE_W) - i32(params.pad_left);
  return Window(
    outer,
    index % INNER,
    origin_d,
    origin_h,
    origin_w,
    first_d,
    first_tap(origin_h, DILATION_H),
    first_tap(origin_w, DILATION_W),
    end_d,
    end_tap(origin_h, params.src_height, KERNEL_H, DILATION_H),
    end_tap(origin_w, params.src_width, KERNEL_W, DILATION_W),
  );
}
fn is_empty(at: Window) -> bool {
  return at.first_d >= at.end_d || at.first_h >= at.end_h || at.first_w >= at.end_w;
}
// Number of the plane of src that tap kd reads; of a window of padding alone, some plane.
fn tap_plane(at: Window, kd: u32) -> u32 {
  if (!DEEP) { return at.outer; }
  let id = u32(at.origin_d + i32(tap_inside(kd, at.first_d, at.end_d) * DILATION_D));
  return at.outer * params.src_depth + min(id, params.src_depth - 1u);
}
// src index of group 0 at column 0 of the row that tap kh reads in that plane.
fn tap_row(at: Window, plane: u32, kh: u32) -> u32 {
  let ih = u32(at.origin_h + i32(tap_inside(kh, at.first_h, at.end_h) * DILATION_H));
  return (plane * params.src_height + min(ih, params.src_height - 1u)) * params.src_width;
}
fn tap_column(at: Window, kw: u32) -> u32 {
  let iw = u32(at.origin_w + i32(tap_inside(kw, at.first_w, at.end_w) * DILATION_W));
  return min(iw, params.src_width - 1u);
}`;
}
