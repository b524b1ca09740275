/**
 * Transposed convolution, one stored number of dst an invocation, either layout, weights as ONNX has them: slow,
 * and takes every problem. Padding lanes of nhwc4 are written as zero.
 */
import { type Epilogue, spliceEpilogue } from '../shared/epilogue.ts';
import type { Layout } from '../shared/layout.ts';
import { INVOCATIONS } from './spec.ts';
import { type WindowSpec, windowWgsl } from './window.wgsl.ts';

/** Position of a stored number: `c` counts stored channels, padding lanes included. */
const DST_POSITION: Readonly<Record<Layout, string>> = {
  nchw: `let x = index % params.ow;
  let y = index / params.ow % params.oh;
  let c = index / params.ow / params.oh % OC;
  let b = index / params.ow / params.oh / OC;`,
  nhwc4: `let c = index % (4u * OC_QUADS);
  let x = index / (4u * OC_QUADS) % params.ow;
  let y = index / (4u * OC_QUADS) / params.ow % params.oh;
  let b = index / (4u * OC_QUADS) / params.ow / params.oh;`,
};

const SRC_INDEX: Readonly<Record<Layout, string>> = {
  nchw: '((b * IC + channel) * params.ih + iy) * params.iw + ix',
  nhwc4: '((b * params.ih + iy) * params.iw + ix) * 4u * IC_QUADS + channel',
};

export function directWgsl(spec: { window: WindowSpec; epilogue: Epilogue; layout: Layout }): string {
  const epilogue = spliceEpilogue(spec.epilogue, 'f32', 3);
  return `${windowWgsl(spec.window, 3 + epilogue.bindings.length)}
@group(0) @binding(0) var<storage, read> src: array<f32>; // ${spec.layout}
@group(0) @binding(1) var<storage, read> weights: array<f32>; // [ic, oc / groups, kh, kw]
@group(0) @binding(2) var<storage, read_write> dst: array<f32>; // ${spec.layout}
${epilogue.wgsl}
const BLOCK = 256u; // terms of one chain

fn src_index(b: u32, channel: u32, iy: u32, ix: u32) -> u32 {
  return ${SRC_INDEX[spec.layout]};
}

// Terms of one tap, in blocks.
fn tap_sum(b: u32, c: u32, iy: u32, ix: u32, tap: u32) -> f32 {
  let group = c / GROUP_OC;
  var sum = 0.0;
  for (var block = 0u; block < (GROUP_IC + BLOCK - 1u) / BLOCK; block++) {
    var terms = 0.0;
    for (var step = 0u; step < min(BLOCK, GROUP_IC); step++) {
      let k = block * BLOCK + step;
      if (k >= GROUP_IC) { break; }
      let channel = group * GROUP_IC + k;
      let weight = weights[(channel * GROUP_OC + c % GROUP_OC) * KH * KW + tap];
      terms = fma(src[src_index(b, channel, iy, ix)], weight, terms);
    }
    sum = sum + terms;
  }
  return sum;
}

@compute @workgroup_size(${INVOCATIONS})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let index = folded_workgroup(workgroup, workgroups) * ${INVOCATIONS}u + local;
  ${DST_POSITION[spec.layout]}
  if (b >= params.batch) { return; }
  if (c >= OC) {
    dst[index] = 0.0;
    return;
  }
  let ty = y + params.pad_top;
  let tx = x + params.pad_left;
  var sum = 0.0;
  for (var jy = 0u; jy < PHASE_TAPS_H; jy++) {
    let r = first_tap_h(ty) + jy * TAP_STEP_H;
    let iy = source_row(ty, r);
    if (r >= KH || iy < 0 || iy >= i32(params.ih)) { continue; }
    var row_sum = 0.0;
    for (var jx = 0u; jx < PHASE_TAPS_W; jx++) {
      let s = first_tap_w(tx) + jx * TAP_STEP_W;
      let ix = source_column(tx, s);
      if (s >= KW || ix < 0 || ix >= i32(params.iw)) { continue; }
      row_sum = row_sum + tap_sum(b, c, u32(iy), u32(ix), r * KW + s);
    }
    sum = sum + row_sum;
  }
  dst[index] = finish(sum, c, index);
}`;
}
