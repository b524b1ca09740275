/**
 * Lp pooling, one output element (of 1 or 4 channels) an invocation:
 *
 *   dst = (sum |src|^p)^(1/p) over the window, padding left out
 *
 * Elements are scaled by a power of two, chosen from the largest of the window, so that no power leaves float32;
 * p = 1 needs none. Infinities and NaN come through.
 *
 *   src [outer, src_depth, src_height, src_width, INNER] -> dst [outer, dst_depth, dst_height, dst_width, INNER]
 */
import { FLAT_BUILTINS, FLAT_COMPUTE } from '../shared/flat-grid.ts';
import { elementType } from '../shared/image-view.ts';
import { powerSumWgsl } from '../shared/power-sum.wgsl.ts';
import { maskLanesWgsl } from '../shared/prelude.ts';
import type { PoolProblem } from './problem.ts';
import { sumTapsWgsl } from './sum-taps.wgsl.ts';
import { windowTapsWgsl } from './window-taps.wgsl.ts';

export function directLpWgsl(problem: PoolProblem): string {
  const { lanes } = problem.src;
  const type = elementType('f32', lanes);
  const bits = elementType('u32', lanes);
  const store = lanes === 4 ? 'mask_lanes(result, at.group)' : 'result';
  return `
${windowTapsWgsl(problem)}
const SCALED = ${problem.power !== 1};
@group(0) @binding(0) var<storage, read> src: array<${type}>;
@group(0) @binding(1) var<storage, read_write> dst: array<${type}>;
@group(0) @binding(2) var<uniform> params: Params;
${powerSumWgsl(problem.power, lanes)}
${lanes === 4 ? maskLanesWgsl(problem.channels) : ''}
fn term(value: ${type}, factor: ${type}) -> ${type} {
  return to_power(abs(value * select(${type}(1.0f), factor, SCALED)));
}
${sumTapsWgsl(problem)}

// Bits of the largest size in the window; a tap in the padding stands for its nearest inside.
fn largest_bits(at: Window) -> ${bits} {
  var largest = ${bits}();
  for (var kd = 0u; kd < KERNEL_D; kd++) {
    let plane = tap_plane(at, kd);
    for (var kh = 0u; kh < KERNEL_H; kh++) {
      let base = tap_row(at, plane, kh);
      for (var kw = 0u; kw < KERNEL_W; kw++) {
        let value = bitcast<${bits}>(src[(base + tap_column(at, kw)) * INNER + at.group]);
        largest = max(largest, value & ${bits}(0x7fffffffu));
      }
    }
  }
  return largest;
}

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let at = window_of(index);
  // Biased exponents of the factor, 253 - that of the largest, and of its inverse.
  var exponent = ${bits}(127u);
  if (SCALED) { exponent = ${bits}(253u) - clamp(largest_bits(at) >> ${bits}(23u), ${bits}(1u), ${bits}(252u)); }
  let factor = bitcast<${type}>(exponent << ${bits}(23u));
  let inverse = bitcast<${type}>((${bits}(254u) - exponent) << ${bits}(23u));
  let result = to_root(sum_taps(at, factor)) * inverse;
  dst[index] = ${store};
}`;
}
