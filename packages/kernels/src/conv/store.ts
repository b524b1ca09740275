/**
 * How a kernel that holds vec4 of output channels stores them: the epilogue in the layout of `dst`, spliced as
 * `fn store(value: vec4f, m: u32, quad: u32)` with m the output pixel of the whole batch.
 */
import type { PassBinding } from '@onegpu/core';
import { spliceEpilogue } from '../shared/epilogue.ts';
import { maskLanesWgsl } from '../shared/prelude.ts';
import type { ConvProblem } from './problem.ts';

export interface StoreSplice {
  /** Bindings of the epilogue, from `dstBinding + 1` on. */
  readonly bindings: readonly PassBinding[];
  /** Declares `dst` and its operands, uses `params`. */
  readonly wgsl: string;
}

export function spliceStore(problem: ConvProblem, dstBinding: number): StoreSplice {
  return problem.layout === 'nhwc4' ? storeQuads(problem, dstBinding) : storePlanes(problem, dstBinding);
}

/** dst [batch, oh, ow, quads] of vec4f. */
function storeQuads(problem: ConvProblem, dstBinding: number): StoreSplice {
  const epilogue = spliceEpilogue(problem.epilogue, 'vec4f', dstBinding + 1);
  const wgsl = `@group(0) @binding(${dstBinding}) var<storage, read_write> dst: array<vec4f>;
${epilogue.wgsl}
${maskLanesWgsl(problem.oc)}
fn store(value: vec4f, m: u32, quad: u32) {
  let at = m * ${Math.ceil(problem.oc / 4)}u + quad;
  dst[at] = mask_lanes(finish(value, quad, at), quad);
}`;
  return { bindings: epilogue.bindings, wgsl };
}

/** dst [batch, oc, oh, ow] of f32: the four channels go to four planes. */
function storePlanes(problem: ConvProblem, dstBinding: number): StoreSplice {
  const epilogue = spliceEpilogue(problem.epilogue, 'f32', dstBinding + 1);
  const wgsl = `@group(0) @binding(${dstBinding}) var<storage, read_write> dst: array<f32>;
${epilogue.wgsl}
fn store(value: vec4f, m: u32, quad: u32) {
  let plane = params.oh * params.ow;
  for (var lane = 0u; lane < 4u; lane++) {
    let channel = quad * 4u + lane;
    let at = (m / plane * ${problem.oc}u + channel) * plane + m % plane;
    if (channel < ${problem.oc}u) { dst[at] = finish(value[lane], channel, at); }
  }
}`;
  return { bindings: epilogue.bindings, wgsl };
}
