/**
 * WGSL of the taps that reach an output voxel. Along an axis, the taps r that reach output o are those with
 * t = o + pad - r * dilation a multiple of the stride: every stride / gcd(stride, dilation)-th one, from the first that
 * fits the phase of o + pad.
 */
import { axisPhases } from '../conv-transpose/phases.ts';
import type { AxisWindow } from '../shared/conv-geometry.ts';
import type { VolumeWindow } from '../shared/volume.ts';

/** For each axis A the constants REACHING_A (most taps) and STEP_A, and `fn first_tap_a(t: u32) -> u32`. */
export function reachingTapsWgsl({ depth, height, width }: VolumeWindow): string {
  return [axisWgsl('d', depth), axisWgsl('h', height), axisWgsl('w', width)].join('\n');
}

/**
 * Declares `total`, the sum over the taps (q, r, s) that reach the voxel at z, y, x (pads added): `term` adds a tap's
 * share to `row_sum` from its source voxel iz, iy, ix. A row is summed before it joins its plane, a plane before it
 * joins the total.
 */
export function sumReachingTaps(term: string): string {
  return `var total = 0.0;
  for (var i = 0u; i < REACHING_D; i++) {
    let q = first_tap_d(z) + i * STEP_D;
    let iz = (z - q * DILATION_D) / STRIDE_D;
    if ((q >= TAPS_D) | (q * DILATION_D > z) | (iz >= params.in_d)) { continue; }
    var plane_sum = 0.0;
    for (var j = 0u; j < REACHING_H; j++) {
      let r = first_tap_h(y) + j * STEP_H;
      let iy = (y - r * DILATION_H) / STRIDE_H;
      if ((r >= TAPS_H) | (r * DILATION_H > y) | (iy >= params.in_h)) { continue; }
      var row_sum = 0.0;
      for (var k = 0u; k < REACHING_W; k++) {
        let s = first_tap_w(x) + k * STEP_W;
        let ix = (x - s * DILATION_W) / STRIDE_W;
        if ((s >= TAPS_W) | (s * DILATION_W > x) | (ix >= params.in_w)) { continue; }
        ${term}
      }
      plane_sum += row_sum;
    }
    total += plane_sum;
  }`;
}

function axisWgsl(axis: 'd' | 'h' | 'w', window: AxisWindow): string {
  const { first, step, taps } = axisPhases(window);
  const name = axis.toUpperCase();
  const cases = first.map((tap, phase) => `    case ${phase}u { return ${tap}u; }`).join('\n');
  return `const REACHING_${name} = ${taps}u;
const STEP_${name} = ${step}u;
fn first_tap_${axis}(t: u32) -> u32 {
  switch t % STRIDE_${name} {
${cases}
    default { return TAPS_${name}; }
  }
}`;
}
