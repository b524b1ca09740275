/**
 * Text of normalising rows by their own statistics: the fold of squared distances from a row's mean, and the last
 * pass  dst = (src - mean) / sqrt(variance + epsilon) * scale + bias.
 */

import { floatLiteral } from '../shared/activation.ts';
import { divideExactWgsl } from '../shared/exact-divide.ts';
import { FLAT_BUILTINS, FLAT_COMPUTE, FLAT_INDEX } from '../shared/flat-grid.ts';

/** Functions of a `block-fold` pass; the first one reads the means at `@binding(2)`. */
export function varianceFunctions(place: { readonly first: boolean; readonly last: boolean }): string {
  const means = '@group(0) @binding(2) var<storage, read> row_mean: array<f32>;  // [rows]';
  return `
${place.first ? means : ''}
${divideExactWgsl(1)}
fn enter(x: f32, row: u32) -> f32 {
  ${place.first ? 'let distance = x - row_mean[row]; return distance * distance;' : 'return x;'}
}
fn fold(a: f32, b: f32) -> f32 { return a + b; }
fn leave(x: f32) -> f32 { return ${place.last ? 'divide_exact(x, params.count)' : 'x'}; }`;
}

export interface ApplyRowsSpec {
  /** Scale and bias: `row` takes entry row % parameters, `element` the position in the row. */
  readonly parameterOf: 'row' | 'element';
  readonly bias: boolean;
  readonly epsilon: number;
}

/** Bindings: src, row_mean, row_variance, scale, dst, bias where there is one, then the parameters. */
export function applyRowsWgsl(spec: ApplyRowsSpec): string {
  const bias = '@group(0) @binding(5) var<storage, read> bias: array<f32>;  // [parameters]';
  return `
const EPSILON = ${floatLiteral(spec.epsilon)};
struct Params { total: u32, extent: u32, parameters: u32, pad0: u32 }
@group(0) @binding(0) var<storage, read> src: array<f32>;           // [rows, extent]
@group(0) @binding(1) var<storage, read> row_mean: array<f32>;      // [rows]
@group(0) @binding(2) var<storage, read> row_variance: array<f32>;  // [rows]
@group(0) @binding(3) var<storage, read> scale: array<f32>;         // [parameters]
@group(0) @binding(4) var<storage, read_write> dst: array<f32>;     // [rows, extent]
${spec.bias ? bias : ''}
@group(0) @binding(${spec.bias ? 6 : 5}) var<uniform> params: Params;
${FLAT_INDEX}

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let row = index / params.extent;
  let parameter = ${spec.parameterOf === 'row' ? 'row % params.parameters' : 'index % params.extent'};
  let factor = scale[parameter] / sqrt(row_variance[row] + EPSILON);
  dst[index] = fma(src[index] - row_mean[row], factor, ${spec.bias ? 'bias[parameter]' : '0.0f'});
}`;
}

/** dst = 1 / sqrt(variance + epsilon), one a row. */
export function inverseDeviationWgsl(epsilon: number): string {
  return `
struct Params { total: u32, pad0: u32, pad1: u32, pad2: u32 }
@group(0) @binding(0) var<storage, read> row_variance: array<f32>;      // [rows]
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;         // [rows]
@group(0) @binding(2) var<uniform> params: Params;
${FLAT_INDEX}

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  dst[index] = 1.0f / sqrt(row_variance[index] + ${floatLiteral(epsilon)});
}`;
}
