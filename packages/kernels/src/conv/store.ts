/**
 * How a kernel that holds vec4 of output channels stores them: the epilogue in the layout of `dst`, spliced as
 * `fn store(value: vec4f, m: u32, quad: u32)` with m the output pixel of the whole batch.
 */
import type { PassBinding, PlanTable } from '@onegpu/core';
import { spliceEpilogue } from '../shared/epilogue.ts';
import { maskLanesWgsl } from '../shared/prelude.ts';
import type { ConvProblem } from './problem.ts';

export interface StoreSplice {
  /** Bindings of the epilogue, from `dstBinding + 1` on. */
  readonly bindings: readonly PassBinding[];
  /** Tables of those bindings. */
  readonly tables: readonly PlanTable[];
  /** Declares `dst` and its operands, uses `params`. */
  readonly wgsl: string;
}

/** `parameters`: the channels are the words `oc`, `dst_quads` and `plane` of `params`; else they are literals. */
export type StoreExtents = 'literals' | 'parameters';

export function spliceStore(
  problem: ConvProblem,
  dstBinding: number,
  extents: StoreExtents = 'literals',
): StoreSplice {
  return problem.layout === 'nhwc4'
    ? storeQuads(problem, dstBinding, extents)
    : storePlanes(problem, dstBinding, extents);
}

/** dst [batch, oh, ow, quads] of vec4f. */
function storeQuads(problem: ConvProblem, dstBinding: number, extents: StoreExtents): StoreSplice {
  const { bindings, tables, wgsl } = spliceEpilogue(problem.epilogue, 'vec4f', dstBinding + 1);
  const free = extents === 'parameters';
  const text = `@group(0) @binding(${dstBinding}) var<storage, read_write> dst: array<vec4f>;
${wgsl}
${maskLanesWgsl(free ? 'params.oc' : problem.oc)}
fn store(value: vec4f, m: u32, quad: u32) {
  let at = m * ${free ? 'params.dst_quads' : `${Math.ceil(problem.oc / 4)}u`} + quad;
  dst[at] = mask_lanes(finish(value, quad, at), quad);
}`;
  return { bindings, tables, wgsl: text };
}

/** dst [batch, oc, oh, ow] of f32: the four channels go to four planes. */
function storePlanes(problem: ConvProblem, dstBinding: number, extents: StoreExtents): StoreSplice {
  const { bindings, tables, wgsl } = spliceEpilogue(problem.epilogue, 'f32', dstBinding + 1);
  const free = extents === 'parameters';
  const channels = free ? 'params.oc' : `${problem.oc}u`;
  const text = `@group(0) @binding(${dstBinding}) var<storage, read_write> dst: array<f32>;
${wgsl}
fn store(value: vec4f, m: u32, quad: u32) {
  let plane = ${free ? 'params.plane' : 'params.oh * params.ow'};
  for (var lane = 0u; lane < 4u; lane++) {
    let channel = quad * 4u + lane;
    let at = (m / plane * ${channels} + channel) * plane + m % plane;
    if (channel < ${channels}) { dst[at] = finish(value[lane], channel, at); }
  }
}`;
  return { bindings, tables, wgsl: text };
}
