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
