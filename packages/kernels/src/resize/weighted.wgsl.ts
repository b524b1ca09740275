/** What the weighing kernels of Resize share: bindings, the tap table, the epilogue and the weighted sum. */
import { type Epilogue, spliceEpilogue } from '../shared/epilogue.ts';
import { maskLanesWgsl } from '../shared/prelude.ts';
import { type ViewSpec, viewWgsl } from './view.wgsl.ts';

export interface WeightedSpec extends ViewSpec {
  readonly channels: number;
  readonly tapsA: number;
  readonly tapsB: number;
  readonly epilogue: Epilogue;
}

/**
 * Bindings: src, taps, dst, the epilogue's, then the uniform parameters. `taps` holds (source position, weight
 * bits), [dst_a, TAPS_A] and then, from b_taps on, [dst_b, TAPS_B]. `add_tap` ignores a tap of weight zero even
 * where its source is infinite or NaN; `store` finishes and writes one element.
 */
export function weightedWgsl(spec: WeightedSpec): string {
  const type = spec.lanes === 4 ? 'vec4f' : 'f32';
  const epilogue = spliceEpilogue(spec.epilogue, type, 3);
  return `
${viewWgsl(spec)}
const TAPS_A = ${spec.tapsA}u;
const TAPS_B = ${spec.tapsB}u;
@group(0) @binding(0) var<storage, read> src: array<${type}>;
@group(0) @binding(1) var<storage, read> taps: array<vec2u>;
@group(0) @binding(2) var<storage, read_write> dst: array<${type}>;
${epilogue.wgsl}
@group(0) @binding(${3 + epilogue.bindings.length}) var<uniform> params: Params;
${spec.lanes === 4 ? maskLanesWgsl(spec.channels) : 'fn mask_lanes(value: f32, group: u32) -> f32 { return value; }'}
fn add_tap(sum: ${type}, weight: f32, value: ${type}) -> ${type} {
  return select(fma(${type}(weight), value, sum), sum, weight == 0.0f);
}
fn store(at: Position, i: u32, sum: ${type}) {
  dst[at.dst_row + i] = mask_lanes(finish(sum, i, at.dst_row + i), i);
}`;
}
