/** WGSL of the sliding window in three axes that the kernels of integer convolution share. */
import type { AxisWindow } from '../shared/conv-geometry.ts';
import { type ParamsRecord, paramsStruct } from '../shared/params-block.ts';
import type { ConvIntegerProblem } from './problem.ts';

/** Words of the uniform block: what may change with the picture. */
export function windowParams(
  { axes: [depth, height, width] }: ConvIntegerProblem,
  count: number,
  more: ParamsRecord = {},
): ParamsRecord {
  const axis = (name: string, { input, output, padBegin }: AxisWindow): ParamsRecord => ({
    [`src_${name}`]: input,
    [`dst_${name}`]: output,
    [`pad_${name}`]: padBegin,
  });
  return { count, ...axis('d', depth), ...axis('h', height), ...axis('w', width), ...more };
}

/**
 * Constants, `struct Params` and its binding, `fn window_of(pixel: u32) -> Window` of a flat [batch, d, h, w] index of
 * dst, and `fn tap_pixel(at: Window, kd: u32, kh: u32, kw: u32) -> i32`, the flat index of src, -1 outside.
 */
export function windowWgsl(
  problem: ConvIntegerProblem,
  binding: number,
  more: readonly string[] = [],
): string {
  const fields = Object.fromEntries(more.map((name) => [name, 0]));
  const [depth, height, width] = problem.axes;
  const constants = (name: string, { kernel, stride, dilation }: AxisWindow): string =>
    `const KERNEL_${name} = ${kernel}u;\nconst STRIDE_${name} = ${stride}u;\nconst DILATION_${name} = ${dilation}u;`;
  return `
${constants('D', depth)}
${constants('H', height)}
${constants('W', width)}
${paramsStruct(windowParams(problem, 0, fields))}
@group(0) @binding(${binding}) var<uniform> params: Params;
struct Window {
  image: u32,
  d: u32,
  h: u32,
  w: u32,
}
fn window_of(pixel: u32) -> Window {
  let row = pixel / params.dst_w;
  let plane = row / params.dst_h;
  let d = plane % params.dst_d * STRIDE_D;
  return Window(plane / params.dst_d, d, row % params.dst_h * STRIDE_H, pixel % params.dst_w * STRIDE_W);
}
fn tap_pixel(at: Window, kd: u32, kh: u32, kw: u32) -> i32 {
  // Before the picture the difference wraps around to something larger than any extent.
  let d = at.d + kd * DILATION_D - params.pad_d;
  let h = at.h + kh * DILATION_H - params.pad_h;
  let w = at.w + kw * DILATION_W - params.pad_w;
  let inside = d < params.src_d && h < params.src_h && w < params.src_w;
  return select(-1, i32(((at.image * params.src_d + d) * params.src_h + h) * params.src_w + w), inside);
}`;
}
