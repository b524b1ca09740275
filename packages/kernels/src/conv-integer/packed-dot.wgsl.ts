/**
 * The kernel of `packed-dot`: four pixels of four output channels an invocation, channels last.
 *
 *   src     [batch, d, h, w, IC_WORDS]          words of four bytes, one channel each
 *   weights [kd, kh, kw, GROUP_WORDS, OC_WORDS] vec4 of words, one output channel each; then the sums, [OC_WORDS]
 *   dst     [batch, d, h, w, OC_WORDS]          vec4 of int32
 */
import type { GpuCapabilities } from '@onegpu/core';
import { dotBytesWgsl } from '../shared/dot-bytes.wgsl.ts';
import { FLAT_BUILTINS, FLAT_COMPUTE, FLAT_INDEX } from '../shared/flat-grid.ts';
import { maskLanesWgsl } from '../shared/prelude.ts';
import { type ConvIntegerProblem, tapCount } from './problem.ts';
import { windowWgsl } from './window.wgsl.ts';
import { zeroPointBindings, zeroPointsWgsl } from './zero-points.wgsl.ts';

/** Pixels of an invocation. */
export const PACKED_DOT_PIXELS = 4;

export function packedDotWgsl(problem: ConvIntegerProblem, target: GpuCapabilities): string {
  const { ic, oc, groups, srcType, weightsType, weightsZeroPoint } = problem;
  const groupIc = ic / groups;
  const groupWords = Math.ceil(groupIc / 4);
  const lastLanes = groupIc - 4 * (groupWords - 1);
  const ones = lastLanes >= 4 ? 0x01010101 : 0x01010101 & (2 ** (8 * lastLanes) - 1);
  return `
const IC_WORDS = ${Math.ceil(ic / 4)}u;
const OC_WORDS = ${Math.max(Math.ceil(oc / 4), 1)}u;
const GROUP_WORDS = ${groupWords}u;
const GROUP_COLUMNS = ${Math.max(Math.ceil(oc / groups / 4), 1)}u;
const TERMS = ${groupIc * tapCount(problem)}i;
const LAST_ONES = ${ones}u;
const SRC_OFFSET = ${srcType === 'uint8' ? 128 : 0}i;
const SRC_FLIP = ${srcType === 'uint8' ? '0x80808080u' : '0u'};
const WEIGHTS_OFFSET = ${weightsType === 'uint8' ? 128 : 0}i;
const WEIGHTS_MOVED = ${weightsType === 'uint8' || weightsZeroPoint !== 'none'};
@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read> weights: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> dst: array<vec4i>;
${zeroPointsWgsl(problem, 3)}
${windowWgsl(problem, 3 + zeroPointBindings(problem).length, ['pixels'])}
${FLAT_INDEX}
${dotBytesWgsl(target)}
${maskLanesWgsl(oc, 'vec4u')}
fn load_src(pixel: i32, word: u32, outside: u32) -> u32 {
  if (pixel < 0) { return outside; }
  return src[u32(pixel) * IC_WORDS + word] ^ SRC_FLIP;
}
fn dot_columns(x: u32, w: vec4u) -> vec4i {
  return vec4i(dot_bytes(x, w.x), dot_bytes(x, w.y), dot_bytes(x, w.z), dot_bytes(x, w.w));
}

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.count) { return; }
  let column = index % OC_WORDS;
  let first = index / OC_WORDS * 4u;
  let last = params.pixels - 1u;
  let at0 = window_of(first);
  let at1 = window_of(min(first + 1u, last));
  let at2 = window_of(min(first + 2u, last));
  let at3 = window_of(min(first + 3u, last));
  let zero = src_zero() - SRC_OFFSET;
  let outside = (bitcast<u32>(zero) & 0xffu) * 0x01010101u;
  let group = column / GROUP_COLUMNS * GROUP_WORDS;
  var sum0 = vec4i();
  var sum1 = vec4i();
  var sum2 = vec4i();
  var sum3 = vec4i();
  var src_sums = vec4i();
  for (var kd = 0u; kd < KERNEL_D; kd++) {
    for (var kh = 0u; kh < KERNEL_H; kh++) {
      for (var kw = 0u; kw < KERNEL_W; kw++) {
        let pixel0 = tap_pixel(at0, kd, kh, kw);
        let pixel1 = tap_pixel(at1, kd, kh, kw);
        let pixel2 = tap_pixel(at2, kd, kh, kw);
        let pixel3 = tap_pixel(at3, kd, kh, kw);
        let row = ((kd * KERNEL_H + kh) * KERNEL_W + kw) * GROUP_WORDS;
        for (var word = 0u; word < GROUP_WORDS; word++) {
          let w = weights[(row + word) * OC_WORDS + column];
          let x0 = load_src(pixel0, group + word, outside);
          let x1 = load_src(pixel1, group + word, outside);
          let x2 = load_src(pixel2, group + word, outside);
          let x3 = load_src(pixel3, group + word, outside);
          sum0 += dot_columns(x0, w);
          sum1 += dot_columns(x1, w);
          sum2 += dot_columns(x2, w);
          sum3 += dot_columns(x3, w);
          if (WEIGHTS_MOVED) {
            let ones = select(0x01010101u, LAST_ONES, word + 1u == GROUP_WORDS);
            src_sums += dot_columns(ones, vec4u(x0, x1, x2, x3));
          }
        }
      }
    }
  }
  let c = 4u * column;
  let zero_weights = vec4i(weights_zero(c), weights_zero(c + 1u), weights_zero(c + 2u), weights_zero(c + 3u))
    - vec4i(WEIGHTS_OFFSET);
  let weights_sums = bitcast<vec4i>(weights[KERNEL_D * KERNEL_H * KERNEL_W * GROUP_WORDS * OC_WORDS + column]);
  let fixed = zero * weights_sums;
  let moved = src_sums - vec4i(TERMS * zero);
  store_dst(first, column, sum0 - fixed - zero_weights * moved.x);
  store_dst(first + 1u, column, sum1 - fixed - zero_weights * moved.y);
  store_dst(first + 2u, column, sum2 - fixed - zero_weights * moved.z);
  store_dst(first + 3u, column, sum3 - fixed - zero_weights * moved.w);
}
fn store_dst(pixel: u32, column: u32, sums: vec4i) {
  if (pixel < params.pixels) {
    dst[pixel * OC_WORDS + column] = bitcast<vec4i>(mask_lanes(bitcast<vec4u>(sums), column));
  }
}`;
}
