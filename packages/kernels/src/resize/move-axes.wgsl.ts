/**
 * Nearest resampling along any number of axes: moves words, or writes the extrapolation value where a position lies
 * outside the source. Layout and index equations: `axes-view.wgsl.ts`.
 */
import { FLAT_BUILTINS, FLAT_COMPUTE } from '../shared/flat-grid.ts';
import { maskLanesWgsl } from '../shared/prelude.ts';
import { axesViewWgsl } from './axes-view.wgsl.ts';

export interface MoveAxesSpec {
  /** One element: a vec4 of them in `nhwc4`, a vec2u of 64 bits. */
  readonly word: 'u32' | 'vec2u' | 'vec4u';
  readonly channels: number;
  /** Number of resized axes. */
  readonly axes: number;
}

export function moveAxesWgsl({ word, channels, axes }: MoveAxesSpec): string {
  const groups = Math.max(Math.ceil(channels / 4), 1);
  const outside =
    word === 'vec2u' ? 'params.extrapolation, params.extrapolation_high' : 'params.extrapolation';
  const taps = new Array<number>(axes).fill(1);
  return `
${axesViewWgsl({ taps, tapWords: 1 })}
@group(0) @binding(0) var<storage, read> src: array<${word}>;
@group(0) @binding(1) var<storage, read> taps: array<u32>;
@group(0) @binding(2) var<storage, read_write> dst: array<${word}>;
@group(0) @binding(3) var<uniform> params: Params;
${word === 'vec4u' ? maskLanesWgsl(channels, 'vec4u') : `fn mask_lanes(value: ${word}, group: u32) -> ${word} { return value; }`}

${FLAT_COMPUTE}
fn main(${FLAT_BUILTINS}) {
  let index = flat_index(workgroup, count, local);
  if (index >= params.total) { return; }
  let at = locate(index);
  if (is_outside(at)) {
    dst[index] = mask_lanes(${word}(${outside}), at.i % ${groups}u);
    return;
  }
  var row = 0u;
${taps.map((_, k) => `  row = (row * params.mid_${k} + at.m_${k}) * params.src_${k} + taps[params.first_${k} + at.x_${k}];`).join('\n')}
  dst[index] = src[row * params.inner + at.i];
}`;
}
