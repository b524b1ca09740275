/**
 * Resampling by tap tables, first along b, then along a. An invocation makes ITEMS elements (of 1 or 4 channels) that
 * lie BLOCKS apart along `inner`.
 *
 *   src [outer, src_a, MID, src_b, INNER] -> dst [outer, dst_a, MID, dst_b, INNER]
 *   dst[o, a, m, b, i] = sum over s of weight_a[a, s] * (sum over t of weight_b[b, t] * src[o, a_s, m, b_t, i])
 *
 * taps holds (source position, weight bits), [dst_a, TAPS_A] and then, from b_taps on, [dst_b, TAPS_B]. A tap of
 * weight zero adds nothing, even where its source is infinite or NaN.
 */

import { type Epilogue, spliceEpilogue } from '../shared/epilogue.ts';
import { FLAT_BUILTINS, FLAT_COMPUTE, FLAT_INDEX } from '../shared/flat-grid.ts';
import { maskLanesWgsl } from '../shared/prelude.ts';

export interface GatherTapsSpec {
  readonly lanes: 1 | 4;
  readonly channels: number;
  readonly mid: number;
  readonly inner: number;
  /** Elements along `inner` an invocation makes: they share index arithmetic. */
  readonly items: number;
  readonly tapsA: number;
  readonly tapsB: number;
  readonly epilogue: Epilogue;
}

/** Bindings: src, taps, dst, the epilogue's, then the uniform parameters. */
export function gatherTapsWgsl(spec: GatherTapsSpec): string {
  const type = spec.lanes === 4 ? 'vec4f' : 'f32';
  const epilogue = spliceEpilogue(spec.epilogue, type, 3);
  const store = spec.lanes === 4 ? 'mask_lanes(result, i)' : 'result';
  return `
const MID = ${spec.mid}u;
const INNER = ${spec.inner}u;
const ITEMS = ${spec.items}u;
const BLOCKS = (INNER + ITEMS - 1u) / ITEMS;
const TAPS_A = ${spec.tapsA}u;
const TAPS_B = ${spec.tapsB}u;
struct Params {
  total: u32,
  src_a: u32,
  src_b: u32,
  dst_a: u32,
  dst_b: u32,
  b_taps: u32,
  pad0: u32,
  pad1: u32,
}
@group(0) @binding(0) var<storage, read> src: array<${type}>;
@group(0) @binding(1) var<storage, read> taps: array<vec2u>;
@group(0) @binding(2) var<storage, read_write> dst: array<${type}>;
${epilogue.wgsl}
@group(0) @binding(${3 + epilogue.bindings.length}) var<uniform> params: Params;
${FLAT_INDEX}
${spec.lanes === 4 ? maskLanesWgsl(spec.channels) : ''}
fn add_tap(sum: ${type}, weight: f32, value: ${type}) -> ${type} {
  return select(fma(${type}(weight), value, sum), sum, weight == 0.0f);
}

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let block = index % BLOCKS;
  let row_b = index / BLOCKS;
  let b = row_b % params.dst_b;
  let row_m = row_b / params.dst_b;
  let m = row_m % MID;
  let row_a = row_m / MID;
  let a = row_a % params.dst_a;
  let outer = row_a / params.dst_a;
  for (var item = 0u; item < ITEMS; item++) {
    let i = block + item * BLOCKS;
    if (i >= INNER) { break; }
    var sum = ${type}();
    for (var s = 0u; s < TAPS_A; s++) {
      let tap_a = taps[a * TAPS_A + s];
      let base = ((outer * params.src_a + tap_a.x) * MID + m) * params.src_b;
      var row = ${type}();
      for (var t = 0u; t < TAPS_B; t++) {
        let tap_b = taps[params.b_taps + b * TAPS_B + t];
        row = add_tap(row, bitcast<f32>(tap_b.y), src[(base + tap_b.x) * INNER + i]);
      }
      sum = add_tap(sum, bitcast<f32>(tap_a.y), row);
    }
    let result = finish(sum, i, row_b * INNER + i);
    dst[row_b * INNER + i] = ${store};
  }
}`;
}
