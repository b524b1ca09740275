/**
 * Resampling by tap tables of any width, first along b, then along a.
 *
 *   src [outer, src_a, MID, src_b, INNER] -> dst [outer, dst_a, MID, dst_b, INNER]
 *   dst[o, a, m, b, i] = sum over s of weight_a[a, s] * (sum over t of weight_b[b, t] * src[o, a_s, m, b_t, i])
 */
import { FLAT_BUILTINS, FLAT_COMPUTE } from '../shared/flat-grid.ts';
import { type WeightedSpec, weightedWgsl } from './weighted.wgsl.ts';

export function gatherTapsWgsl(spec: WeightedSpec): string {
  const type = spec.lanes === 4 ? 'vec4f' : 'f32';
  return `
${weightedWgsl(spec)}

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let at = position_of(index);
  for (var item = 0u; item < ITEMS; item++) {
    let i = at.block + item * BLOCKS;
    if (i >= INNER) { break; }
    var sum = ${type}();
    for (var s = 0u; s < TAPS_A; s++) {
      let tap_a = taps[at.a * TAPS_A + s];
      var row = ${type}();
      for (var t = 0u; t < TAPS_B; t++) {
        let tap_b = taps[params.b_taps + at.b * TAPS_B + t];
        row = add_tap(row, bitcast<f32>(tap_b.y), src[src_row(at, tap_a.x, tap_b.x) + i]);
      }
      sum = add_tap(sum, bitcast<f32>(tap_a.y), row);
    }
    store(at, i, sum);
  }
}`;
}
