/**
 * Max pooling, one output element (of 1 or 4 channels) an invocation. A tap in the padding is replaced by the
 * nearest tap inside the input, which leaves the maximum unchanged and needs no branch. Values are compared as
 * ordered u32 keys and move bit for bit; NaN loses, a window of padding alone gives the lowest finite value.
 *
 *   src [outer, src_depth, src_height, src_width, INNER] -> dst [outer, dst_depth, dst_height, dst_width, INNER]
 */
import { FLAT_BUILTINS, FLAT_COMPUTE } from '../shared/flat-grid.ts';
import { maskLanesWgsl } from '../shared/prelude.ts';
import { poolKeysWgsl } from './keys.wgsl.ts';
import { LOWEST_BITS, type PoolProblem } from './problem.ts';
import { windowTapsWgsl } from './window-taps.wgsl.ts';

export function directMaxWgsl(problem: PoolProblem): string {
  const { lanes } = problem.src;
  const type = lanes === 4 ? 'vec4u' : 'u32';
  const store = lanes === 4 ? 'mask_lanes(result, at.group)' : 'result';
  return `
${windowTapsWgsl(problem)}
const LOWEST = ${LOWEST_BITS[problem.element]}u;
@group(0) @binding(0) var<storage, read> src: array<${type}>;
@group(0) @binding(1) var<storage, read_write> dst: array<${type}>;
@group(0) @binding(2) var<uniform> params: Params;
${poolKeysWgsl(problem.element, type)}
${lanes === 4 ? maskLanesWgsl(problem.channels, 'vec4u') : ''}

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let at = window_of(index);
  var best = ${type}(0u);
  for (var kd = 0u; kd < KERNEL_D; kd++) {
    let plane = tap_plane(at, kd);
    for (var kh = 0u; kh < KERNEL_H; kh++) {
      let base = tap_row(at, plane, kh);
      for (var kw = 0u; kw < KERNEL_W; kw++) {
        best = max(best, to_key(src[(base + tap_column(at, kw)) * INNER + at.group]));
      }
    }
  }
  let result = select(from_key(best), ${type}(LOWEST), is_empty(at));
  dst[index] = ${store};
}`;
}
