/**
 * Resampling with at most two taps an axis (linear): the four positions and weights are read once and serve ITEMS
 * elements along `inner`. Same sums in the same order as `gather-taps`.
 *
 *   src [outer, src_a, MID, src_b, INNER] -> dst [outer, dst_a, MID, dst_b, INNER]
 */
import { spliceEpilogue } from '../shared/epilogue.ts';
import { FLAT_BUILTINS, FLAT_COMPUTE, FLAT_INDEX } from '../shared/flat-grid.ts';
import { maskLanesWgsl } from '../shared/prelude.ts';
import type { GatherTapsSpec } from './gather-taps.wgsl.ts';

/** Bindings as in `gather-taps`. */
export function twoTapWgsl(spec: GatherTapsSpec): string {
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
// A tap of weight zero adds nothing, even where its source is infinite or NaN.
fn two_taps(weights: vec2f, first: ${type}, second: ${type}) -> ${type} {
  let sum = select(${type}(weights.x) * first, ${type}(), weights.x == 0.0f);
  return select(fma(${type}(weights.y), second, sum), sum, weights.y == 0.0f);
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
  // With one tap the second is the first again, of no weight.
  let a0 = taps[a * TAPS_A];
  let a1 = taps[a * TAPS_A + TAPS_A - 1u];
  let b0 = taps[params.b_taps + b * TAPS_B];
  let b1 = taps[params.b_taps + b * TAPS_B + TAPS_B - 1u];
  let weights_a = vec2f(bitcast<f32>(a0.y), select(0.0f, bitcast<f32>(a1.y), TAPS_A == 2u));
  let weights_b = vec2f(bitcast<f32>(b0.y), select(0.0f, bitcast<f32>(b1.y), TAPS_B == 2u));
  let base0 = ((outer * params.src_a + a0.x) * MID + m) * params.src_b;
  let base1 = ((outer * params.src_a + a1.x) * MID + m) * params.src_b;
  for (var item = 0u; item < ITEMS; item++) {
    let i = block + item * BLOCKS;
    if (i >= INNER) { break; }
    let upper = two_taps(weights_b, src[(base0 + b0.x) * INNER + i], src[(base0 + b1.x) * INNER + i]);
    let lower = two_taps(weights_b, src[(base1 + b0.x) * INNER + i], src[(base1 + b1.x) * INNER + i]);
    let result = finish(two_taps(weights_a, upper, lower), i, row_b * INNER + i);
    dst[row_b * INNER + i] = ${store};
  }
}`;
}
