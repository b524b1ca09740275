/**
 * Resampling by tap tables of any width along any number of axes, the last axis innermost, then the epilogue. A
 * position outside the source along any axis takes the extrapolation value. Layout and index equations:
 * `axes-view.wgsl.ts`.
 *
 *   along_k(row) = sum over t of weight_k[x_k, t] * along_k+1((row * mid_k + m_k) * src_k + position_k[x_k, t])
 */
import { type Epilogue, spliceEpilogue } from '../shared/epilogue.ts';
import { FLAT_BUILTINS, FLAT_COMPUTE } from '../shared/flat-grid.ts';
import { maskLanesWgsl } from '../shared/prelude.ts';
import { axesViewWgsl } from './axes-view.wgsl.ts';

export interface GatherAxesSpec {
  readonly lanes: 1 | 4;
  readonly channels: number;
  /** Taps of each resized axis. */
  readonly taps: readonly number[];
  readonly epilogue: Epilogue;
}

/** Terms of one block of a sum. */
const BLOCK = 256;

export function gatherAxesWgsl({ lanes, channels, taps, epilogue }: GatherAxesSpec): string {
  const type = lanes === 4 ? 'vec4f' : 'f32';
  const groups = Math.max(Math.ceil(channels / 4), 1);
  const { wgsl, bindings } = spliceEpilogue(epilogue, type, 3);
  return `
${axesViewWgsl({ taps, tapWords: 2 })}
@group(0) @binding(0) var<storage, read> src: array<${type}>;
@group(0) @binding(1) var<storage, read> taps: array<vec2u>;
@group(0) @binding(2) var<storage, read_write> dst: array<${type}>;
${wgsl}
@group(0) @binding(${3 + bindings.length}) var<uniform> params: Params;
${lanes === 4 ? maskLanesWgsl(channels) : 'fn mask_lanes(value: f32, group: u32) -> f32 { return value; }'}
// A tap of no weight is ignored even where its source is infinite or NaN.
fn add_tap(sum: ${type}, weight: f32, value: ${type}) -> ${type} {
  return select(fma(${type}(weight), value, sum), sum, weight == 0.0f);
}
fn along_${taps.length}(at: At, row: u32) -> ${type} {
  return src[row * params.inner + at.i];
}
${taps
  .map((count, k) => alongWgsl(k, count, type))
  .toReversed()
  .join('\n')}

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let at = locate(index);
  var value = ${type}(bitcast<f32>(params.extrapolation));
  if (!is_outside(at)) { value = along_0(at, 0u); }
  let group = at.i % ${groups}u; // of four channels
  dst[index] = mask_lanes(finish(value, group, index), group);
}`;
}

/** `fn along_k`: the taps of one axis in blocks. */
function alongWgsl(k: number, count: number, type: string): string {
  const steps = Math.min(count, BLOCK);
  return `fn along_${k}(at: At, row: u32) -> ${type} {
  let base = (row * params.mid_${k} + at.m_${k}) * params.src_${k};
  let first = params.first_${k} + at.x_${k} * ${count}u;
  var sum = ${type}();
  for (var block = 0u; block < ${Math.ceil(count / steps)}u; block++) {
    var part = ${type}();
    for (var step = 0u; step < ${steps}u; step++) {
      let t = block * ${steps}u + step;
      if (t >= ${count}u) { break; }
      let tap = taps[first + t];
      part = add_tap(part, bitcast<f32>(tap.y), along_${k + 1}(at, base + tap.x));
    }
    sum = sum + part;
  }
  return sum;
}`;
}
