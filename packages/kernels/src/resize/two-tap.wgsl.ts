/**
 * Resampling with at most two taps an axis (linear): the four positions and weights are read once and serve all
 * elements of an invocation. The same sums in the same order as `gather-taps`.
 *
 *   src [outer, src_a, MID, src_b, INNER] -> dst [outer, dst_a, MID, dst_b, INNER]
 */
import { FLAT_BUILTINS, FLAT_COMPUTE } from '../shared/flat-grid.ts';
import { type WeightedSpec, weightedWgsl } from './weighted.wgsl.ts';

export function twoTapWgsl(spec: WeightedSpec): string {
  const type = spec.lanes === 4 ? 'vec4f' : 'f32';
  return `
${weightedWgsl(spec)}
fn two_taps(weights: vec2f, first: ${type}, second: ${type}) -> ${type} {
  return add_tap(add_tap(${type}(), weights.x, first), weights.y, second);
}

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let at = position_of(index);
  // With one tap the second is the first again, of no weight.
  let a0 = taps[at.a * TAPS_A];
  let a1 = taps[at.a * TAPS_A + TAPS_A - 1u];
  let b0 = taps[params.b_taps + at.b * TAPS_B];
  let b1 = taps[params.b_taps + at.b * TAPS_B + TAPS_B - 1u];
  let weights_a = vec2f(bitcast<f32>(a0.y), select(0.0f, bitcast<f32>(a1.y), TAPS_A == 2u));
  let weights_b = vec2f(bitcast<f32>(b0.y), select(0.0f, bitcast<f32>(b1.y), TAPS_B == 2u));
  let row00 = src_row(at, a0.x, b0.x);
  let row01 = src_row(at, a0.x, b1.x);
  let row10 = src_row(at, a1.x, b0.x);
  let row11 = src_row(at, a1.x, b1.x);
  for (var item = 0u; item < ITEMS; item++) {
    let i = at.block + item * BLOCKS;
    if (i >= INNER) { break; }
    let upper = two_taps(weights_b, src[row00 + i], src[row01 + i]);
    let lower = two_taps(weights_b, src[row10 + i], src[row11 + i]);
    store(at, i, two_taps(weights_a, upper, lower));
  }
}`;
}
