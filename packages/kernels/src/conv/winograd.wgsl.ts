/**
 * The two transforms around the batched product of Winograd's convolution: an invocation takes one tile and four
 * channels, all of it in registers, neighbours take neighbouring channels. Tiles lie over the picture in lines; a dispatch
 * covers `params.tiles` of all images' tiles from `params.tile_begin` on.
 *   values   [variant.products, tiles, src_quads] of vec4f, products [variant.products, tiles, dst_quads]
 */
import { FOLDED_WORKGROUP } from '../shared/prelude.ts';
import type { WinogradVariant } from './winograd-transforms.ts';

export const TRANSFORM_INVOCATIONS = 64;

function indices(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function lines(places: readonly number[], text: (index: number) => string): string {
  return places.map(text).join('\n  ');
}

/** `params` declares `struct Params`; the one text of every layer. */
export function winogradSourceWgsl(variant: WinogradVariant, params: string): string {
  const { outputs } = variant;
  const places = indices(variant.values);
  return `// B' d B: src [batch, ih, iw, src_quads] to values
${FOLDED_WORKGROUP}
${params}

@group(0) @binding(0) var<storage, read> src: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> values: array<vec4f>;
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(${TRANSFORM_INVOCATIONS})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) count: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let id = folded_workgroup(workgroup, count) * ${TRANSFORM_INVOCATIONS}u + lane;
  let step = params.tiles * params.src_quads;
  if (id >= step) { return; }
  let quad = id % params.src_quads;
  let tile = params.tile_begin + id / params.src_quads;
  let image = tile / params.tiles_x / params.tiles_y;
  let top = tile / params.tiles_x % params.tiles_y * ${outputs}u - params.pad_top;
  let left = tile % params.tiles_x * ${outputs}u - params.pad_left;
  // Above or left of the picture the differences wrap around, far past its extents.
  ${lines(places, (x) => `let x${x} = left + ${x}u;\n  let in_x${x} = x${x} < params.iw;`)}
  ${lines(
    places,
    (y) => `let y${y} = top + ${y}u;
  let in_y${y} = y${y} < params.ih;
  let line${y} = (image * params.ih + y${y}) * params.iw;
  ${lines(
    places,
    (x) => `let inside${y}_${x} = in_y${y} & in_x${x};
  let d${y}_${x} = select(vec4f(), src[select(0u, (line${y} + x${x}) * params.src_quads + quad, inside${y}_${x})], inside${y}_${x});`,
  )}`,
  )}
  ${lines(places, (x) =>
    variant.sourceWgsl(
      (y) => `d${y}_${x}`,
      (y) => `t${y}_${x}`,
    ),
  )}
  ${lines(
    places,
    (y) => `${variant.sourceWgsl(
      (x) => `t${y}_${x}`,
      (x) => `v${y}_${x}`,
    )}
  ${lines(places, (x) => `values[${y * variant.values + x}u * step + id] = v${y}_${x};`)}`,
  )}
}
`;
}

export interface WinogradOutputSpec {
  /** `struct Params`. */
  readonly params: string;
  readonly paramsBinding: number;
  /** WGSL of dst (binding 1) and of `fn store(value: vec4f, m: u32, quad: u32)`, m the output pixel of the batch. */
  readonly store: string;
}

export function winogradOutputWgsl(variant: WinogradVariant, spec: WinogradOutputSpec): string {
  const { outputs } = variant;
  const places = indices(variant.values);
  return `// A' m A: products to dst [batch, oh, ow, dst_quads] of vec4f
${FOLDED_WORKGROUP}
${spec.params}

@group(0) @binding(0) var<storage, read> products: array<vec4f>;
@group(0) @binding(${spec.paramsBinding}) var<uniform> params: Params;
${spec.store}

@compute @workgroup_size(${TRANSFORM_INVOCATIONS})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) count: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let id = folded_workgroup(workgroup, count) * ${TRANSFORM_INVOCATIONS}u + lane;
  let step = params.tiles * params.dst_quads;
  if (id >= step) { return; }
  let quad = id % params.dst_quads;
  let tile = params.tile_begin + id / params.dst_quads;
  let image = tile / params.tiles_x / params.tiles_y;
  let top = tile / params.tiles_x % params.tiles_y * ${outputs}u;
  let left = tile % params.tiles_x * ${outputs}u;
  ${lines(
    places,
    (x) => `${lines(places, (y) => `let m${y}_${x} = products[${y * variant.values + x}u * step + id];`)}
  ${variant.outputWgsl(
    (y) => `m${y}_${x}`,
    (y) => `s${y}_${x}`,
  )}`,
  )}
  let pixel = (image * params.oh + top) * params.ow + left;
  ${lines(
    places.slice(0, outputs),
    (y) => `if (top + ${y}u < params.oh) {
  ${variant.outputWgsl(
    (x) => `s${y}_${x}`,
    (x) => `o${y}_${x}`,
  )}
  ${lines(places.slice(0, outputs), (x) => `if (left + ${x}u < params.ow) { store(o${y}_${x}, pixel + ${y}u * params.ow + ${x}u, quad); }`)}
  }`,
  )}
}
`;
}
