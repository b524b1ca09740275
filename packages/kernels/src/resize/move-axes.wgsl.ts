/**
 * Nearest resampling along any number of axes: moves words, or writes the extrapolation value where a position lies
 * outside the source. Layout and index equations: `axes-view.wgsl.ts`.
 */
import { FLAT_BUILTINS, FLAT_COMPUTE } from '../shared/flat-grid.ts';
import { maskLanesWgsl } from '../shared/prelude.ts';
import { axesViewWgsl } from './axes-view.wgsl.ts';

export interface MoveAxesSpec {
  readonly lanes: 1 | 4;
  readonly channels: number;
  /** Number of resized axes. */
  readonly axes: number;
}

export function moveAxesWgsl({ lanes, channels, axes }: MoveAxesSpec): string {
  const type = lanes === 4 ? 'vec4u' : 'u32';
  const taps = new Array<number>(axes).fill(1);
  return `
${axesViewWgsl({ taps, tapWords: 1 })}
@group(0) @binding(0) var<storage, read> src: array<${type}>;
@group(0) @binding(1) var<storage, read> taps: array<u32>;
@group(0) @binding(2) var<storage, read_write> dst: array<${type}>;
@group(0) @binding(3) var<uniform> params: Params;
${lanes === 4 ? maskLanesWgsl(channels, 'vec4u') : 'fn mask_lanes(value: u32, group: u32) -> u32 { return value; }'}

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let at = locate(index);
  if (is_outside(at)) {
    dst[index] = mask_lanes(${type}(params.extrapolation), at.i);
    return;
  }
  var row = 0u;
${taps.map((_, k) => `  row = (row * params.mid_${k} + at.m_${k}) * params.src_${k} + taps[params.first_${k} + at.x_${k}];`).join('\n')}
  dst[index] = src[row * params.inner + at.i];
}`;
}
