/**
 * Store of a product whose rows are source pixels and whose columns are (tap, channel): each column goes to the
 * output pixel of its tap. dst is nhwc4, [batch, ih * kh, iw * kw, oc / 4].
 */
import { maskLanesWgsl } from '../shared/prelude.ts';

export interface PixelStoreSpec {
  readonly oc: number;
  readonly kh: number;
  readonly kw: number;
}

export function pixelStoreWgsl(spec: PixelStoreSpec): string {
  const { oc, kh, kw } = spec;
  return `
${maskLanesWgsl(oc)}
const TAPS = ${kh * kw}u;
const KH = ${kh}u;
const KW = ${kw}u;
const OC_QUADS = ${Math.ceil(oc / 4)}u;
const LANES_ARE_TAPS = ${oc === 1};

fn store_pixel(sum: vec4f, m: u32, tap: u32, quad: u32) {
  let ix = m % params.iw;
  let row = m / params.iw; // b * ih + iy
  let y = row * KH + tap / KW; // b * oh + y
  let at = ((y * params.iw + ix) * KW + tap % KW) * OC_QUADS + quad;
  dst[at] = mask_lanes(finish(sum, m, quad, 0u, at), quad);
}

fn store_dst(sum: vec4f, matrix: u32, m: u32, n4: u32) {
  if (m >= params.gemm_m || n4 >= n_quads()) { return; }
  if (LANES_ARE_TAPS) {
    for (var lane = 0u; lane < 4u; lane++) {
      if (4u * n4 + lane < TAPS) { store_pixel(vec4f(sum[lane], 0.0, 0.0, 0.0), m, 4u * n4 + lane, 0u); }
    }
  } else {
    store_pixel(sum, m, n4 / OC_QUADS, n4 % OC_QUADS);
  }
}`;
}
