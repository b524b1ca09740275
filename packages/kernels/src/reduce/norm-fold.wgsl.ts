/**
 * One pass of an Lp norm, (sum |x|^p)^(1/p). The norm of the norms of slices is the norm of the whole, so every pass is
 * the same kernel:
 *
 *   src [outer, extent, inner] -> dst [outer, slices, inner]
 *
 * The terms of a slice are scaled by a power of two, chosen from its largest, so that no p-th power leaves float32; they
 * are added in blocks of 16. Infinities and NaN come through.
 * J. L. Blue, "A Portable Fortran Program to Find the Euclidean Norm of a Vector", 1978, has the scaling.
 */
import { FLAT_BUILTINS, FLAT_COMPUTE } from '../shared/flat-grid.ts';
import { elementType } from '../shared/image-view.ts';
import { powerSumWgsl } from '../shared/power-sum.wgsl.ts';
import type { ReduceProblem } from './problem.ts';
import { SLICES_WGSL } from './slices.wgsl.ts';

export function normFoldWgsl({ power, lanes }: Pick<ReduceProblem, 'power' | 'lanes'>): string {
  const type = elementType('f32', lanes);
  const bits = elementType('u32', lanes);
  return `
${SLICES_WGSL}
@group(0) @binding(0) var<storage, read> src: array<${bits}>;
@group(0) @binding(1) var<storage, read_write> dst: array<${bits}>;
@group(0) @binding(2) var<uniform> params: Params;
${powerSumWgsl(power, lanes)}
const BLOCK = 16u;

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let slice = slice_of(index);
  var largest = ${bits}();
  for (var t = 0u; t < 256u; t++) {
    if (t >= slice.terms) { break; }
    largest = max(largest, src[slice.base + t * slice.stride] & ${bits}(0x7fffffffu));
  }
  // Biased exponents of the factor, 253 - that of the largest, and of its inverse.
  let exponent = ${bits}(253u) - clamp(largest >> ${bits}(23u), ${bits}(1u), ${bits}(252u));
  let factor = bitcast<${type}>(exponent << ${bits}(23u));
  let inverse = bitcast<${type}>((${bits}(254u) - exponent) << ${bits}(23u));
  var sum = ${type}();
  for (var b = 0u; b < 16u; b++) {
    if (b * BLOCK >= slice.terms) { break; }
    var block = ${type}();
    for (var j = 0u; j < BLOCK; j++) {
      let t = b * BLOCK + j;
      let value = bitcast<${type}>(src[slice.base + min(t, slice.terms - 1u) * slice.stride]);
      block = select(block, block + to_power(abs(value * factor)), t < slice.terms);
    }
    sum = sum + block;
  }
  dst[index] = bitcast<${bits}>(to_root(sum) * inverse);
}`;
}
