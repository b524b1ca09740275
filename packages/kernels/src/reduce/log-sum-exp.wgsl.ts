/**
 * One pass of log(sum(exp(x))) and of softmax's statistics. A partial result is a pair (m, s) that stands for
 * s * exp(m), m the maximum of its terms, so that nothing overflows:
 *
 *   src [outer, extent, inner] -> dst [outer, slices, inner], pairs except a plain src or a finished dst
 *
 * The maximum of a slice is found first, then its terms are added in blocks of 16. m stays within the finite
 * values: infinite terms then give exp(-Infinity) = 0 or exp(+Infinity) = Infinity and no NaN of their own.
 * "Online normalizer calculation for softmax", https://arxiv.org/abs/1805.02867
 */
import { FLAT_BUILTINS, FLAT_COMPUTE } from '../shared/flat-grid.ts';
import { mathWgsl } from '../shared/math.wgsl.ts';
import { SLICES_WGSL } from './slices.wgsl.ts';

export interface LogSumExpSpec {
  /** `numbers`: src holds x, taken as the pair (x, 1). `pairs`: src holds pairs of an earlier pass. */
  readonly src: 'numbers' | 'pairs';
  /** `pairs`: dst holds (m, s). `log`: dst holds m + log(s). */
  readonly dst: 'pairs' | 'log';
}

export function logSumExpWgsl(spec: LogSumExpSpec): string {
  const store = spec.dst === 'pairs' ? 'vec2f(highest, sum)' : 'highest + m_log(sum)';
  const pair = spec.src === 'pairs' ? 'src[at]' : 'vec2f(src[at], 1.0f)';
  return `
${SLICES_WGSL}
@group(0) @binding(0) var<storage, read> src: array<${spec.src === 'pairs' ? 'vec2f' : 'f32'}>;
@group(0) @binding(1) var<storage, read_write> dst: array<${spec.dst === 'pairs' ? 'vec2f' : 'f32'}>;
@group(0) @binding(2) var<uniform> params: Params;
const LOWEST = -3.4028234663852886e38f;
const BLOCK = 16u;

${mathWgsl(['m_log'])}
fn load_pair(at: u32) -> vec2f { return ${pair}; }

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let slice = slice_of(index);
  var highest = LOWEST;
  for (var t = 0u; t < 256u; t++) {
    if (t >= slice.terms) { break; }
    highest = max(highest, load_pair(slice.base + t * slice.stride).x);
  }
  highest = min(highest, -LOWEST);
  var sum = 0.0f;
  for (var b = 0u; b < 16u; b++) {
    if (b * BLOCK >= slice.terms) { break; }
    var block = 0.0f;
    for (var j = 0u; j < BLOCK; j++) {
      let t = b * BLOCK + j;
      let pair = load_pair(slice.base + min(t, slice.terms - 1u) * slice.stride);
      block = select(block, fma(pair.y, exp(pair.x - highest), block), t < slice.terms);
    }
    sum = sum + block;
  }
  dst[index] = ${store};
}`;
}
