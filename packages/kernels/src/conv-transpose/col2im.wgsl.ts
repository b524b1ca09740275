/**
 * Second pass of `gemm-col2im`: every output gathers from scratch the products of its taps, no atomics. A row of
 * taps is summed before it joins the total.
 *
 *   nchw   scratch [batch, oc, tap, ih * iw], one number an invocation
 *   nhwc4  scratch [batch * ih * iw, tap, oc / 4], one vec4 an invocation
 */
import { type Epilogue, spliceEpilogue } from '../shared/epilogue.ts';
import type { Layout } from '../shared/layout.ts';
import { maskLanesWgsl } from '../shared/prelude.ts';
import { INVOCATIONS } from './spec.ts';
import { type WindowSpec, windowWgsl } from './window.wgsl.ts';

export interface Col2imSpec {
  readonly window: WindowSpec;
  readonly epilogue: Epilogue;
  readonly layout: Layout;
  /** `all` images, or a `range` of them: the parameter `blocks` is then the first element of dst. */
  readonly images: 'all' | 'range';
}

interface LayoutText {
  readonly type: 'f32' | 'vec4f';
  /** `x y c b` of an element of dst; `c` counts vec4 in nhwc4. */
  readonly position: string;
  readonly scratchIndex: string;
  readonly stored: string;
}

const TEXT: Readonly<Record<Layout, LayoutText>> = {
  nchw: {
    type: 'f32',
    position: `let x = index % params.ow;
  let y = index / params.ow % params.oh;
  let c = index / params.ow / params.oh % OC;
  let b = index / params.ow / params.oh / OC;`,
    scratchIndex: '(((b * OC + c) * KH * KW + tap) * params.ih + iy) * params.iw + ix',
    stored: 'finish(sum, c, at)',
  },
  nhwc4: {
    type: 'vec4f',
    position: `let c = index % OC_QUADS;
  let x = index / OC_QUADS % params.ow;
  let y = index / OC_QUADS / params.ow % params.oh;
  let b = index / OC_QUADS / params.ow / params.oh;`,
    scratchIndex: '(((b * params.ih + iy) * params.iw + ix) * KH * KW + tap) * OC_QUADS + c',
    stored: 'mask_lanes(finish(sum, c, at), c)',
  },
};

export function col2imWgsl(spec: Col2imSpec): string {
  const { type, position, scratchIndex, stored } = TEXT[spec.layout];
  const epilogue = spliceEpilogue(spec.epilogue, type, 2);
  return `${windowWgsl(spec.window, 2 + epilogue.bindings.length)}
@group(0) @binding(0) var<storage, read> scratch: array<${type}>;
@group(0) @binding(1) var<storage, read_write> dst: array<${type}>;
${epilogue.wgsl}
${maskLanesWgsl(spec.window.oc)}

@compute @workgroup_size(${INVOCATIONS})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let index = folded_workgroup(workgroup, workgroups) * ${INVOCATIONS}u + local;
  ${position}
  if (b >= params.batch) { return; }
  let ty = y + params.pad_top;
  let tx = x + params.pad_left;
  let first_r = first_tap_h(ty);
  let first_s = first_tap_w(tx);
  var sum = ${type}();
  for (var jy = 0u; jy < PHASE_TAPS_H; jy++) {
    let r = first_r + jy * TAP_STEP_H;
    let row = source_row(ty, r);
    if (r >= KH || row < 0 || row >= i32(params.ih)) { continue; }
    let iy = u32(row);
    var row_sum = ${type}();
    for (var jx = 0u; jx < PHASE_TAPS_W; jx++) {
      let s = first_s + jx * TAP_STEP_W;
      let column = source_column(tx, s);
      if (s >= KW || column < 0 || column >= i32(params.iw)) { continue; }
      let ix = u32(column);
      let tap = r * KW + s;
      row_sum = row_sum + scratch[${scratchIndex}];
    }
    sum = sum + row_sum;
  }
  let at = ${spec.images === 'range' ? 'params.blocks + index' : 'index'};
  dst[at] = ${stored};
}`;
}
