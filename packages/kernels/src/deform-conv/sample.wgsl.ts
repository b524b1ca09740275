/**
 * WGSL that reads a moved tap of a picture: the four pixels around its position with their bilinear weights. The whole
 * part of an offset is split off before it meets the pixel's own position, so that the fraction is as exact as the
 * offset. Pixels outside count zero, whatever the offset: huge and infinite ones included.
 */
import { type ParamsRecord, paramsStruct } from '../shared/params-block.ts';
import { volumeParams } from '../shared/volume.ts';
import type { DeformConvProblem } from './problem.ts';
import { volumeCornersWgsl } from './sample-volume.wgsl.ts';

export interface SampleSpec {
  readonly problem: DeformConvProblem;
  /** Only the names go into the text. */
  readonly params: ParamsRecord;
  readonly bindings: {
    readonly src: number;
    readonly offset: number;
    readonly mask: number;
    readonly params: number;
  };
}

/** Words that sampling reads; ih * iw and oh * ow count the elements of a channel, of volumes too. */
export function sampleParams({ conv, volume }: DeformConvProblem): ParamsRecord {
  const { batch, ih, iw, oh, ow, padTop, padLeft } = conv;
  if (volume !== undefined) return { ih, iw, oh, ow, ...volumeParams(batch, volume) };
  return { batch, ih, iw, oh, ow, pad_top: padTop, pad_left: padLeft };
}

/**
 * Declares `src`, `offset` and `mask` with `params`, the constants of the window, and
 * - `fn corners(n: u32, group: u32, tap: u32, pixel: u32) -> Corners` for an offset group, tap and output element,
 * - `fn sample(plane: u32, at: Corners) -> f32` of the source channel that starts at an element.
 */
export function sampleWgsl({ problem, params, bindings }: SampleSpec): string {
  const { conv, offsetGroups, mask } = problem;
  return `${paramsStruct(params)}
const IC = ${conv.ic}u;
const KW = ${conv.kw}u;
const TAPS = ${conv.kh * conv.kw}u;
const OFFSET_GROUPS = ${offsetGroups}u;
const OFFSET_CHANNELS = ${conv.ic / offsetGroups}u;
const FARTHEST = 1073741824.0; // beyond every picture

@group(0) @binding(${bindings.src}) var<storage, read> src: array<f32>; // [batch, IC, ih, iw]
@group(0) @binding(${bindings.offset}) var<storage, read> offset: array<f32>; // [batch, OFFSET_GROUPS, TAPS, axes, oh, ow]
${mask ? `@group(0) @binding(${bindings.mask}) var<storage, read> mask: array<f32>; // [batch, OFFSET_GROUPS, TAPS, oh, ow]` : ''}
@group(0) @binding(${bindings.params}) var<uniform> params: Params;

fn mask_at(index: u32) -> f32 {
  return ${mask ? 'mask[index]' : '1.0'};
}

${problem.volume === undefined ? pictureCornersWgsl(problem) : volumeCornersWgsl(problem.volume)}`;
}

/** Offsets of a picture's tap, and of one with a single row. */
const PLANE = 'vec2f(offset[2u * plane * pixels + pixel], offset[(2u * plane + 1u) * pixels + pixel])';
const ROW = 'vec2f(0.0, offset[plane * pixels + pixel])';

function pictureCornersWgsl({ conv, axes }: DeformConvProblem): string {
  return `struct Corners {
  at: vec4u,
  inside: vec4<bool>,
  share: vec4f,
  mask: f32,
}

fn corners(n: u32, group: u32, tap: u32, pixel: u32) -> Corners {
  let pixels = params.oh * params.ow;
  let plane = (n * OFFSET_GROUPS + group) * TAPS + tap;
  let moved = ${axes === 1 ? ROW : PLANE};
  let whole = floor(moved);
  let part = moved - whole;
  let down = i32(pixel / params.ow * ${conv.strideH}u + tap / KW * ${conv.dilationH}u) - i32(params.pad_top);
  let right = i32(pixel % params.ow * ${conv.strideW}u + tap % KW * ${conv.dilationW}u) - i32(params.pad_left);
  let corner = vec2i(down, right) + vec2i(clamp(whole, vec2f(-FARTHEST), vec2f(FARTHEST)));
  let y = vec4u(vec4i(corner.x) + vec4i(0, 0, 1, 1));
  let x = vec4u(vec4i(corner.y) + vec4i(0, 1, 0, 1));
  let inside = (y < vec4u(params.ih)) & (x < vec4u(params.iw));
  let across = vec4f(1.0 - part.y, part.y, 1.0 - part.y, part.y);
  let along = vec4f(1.0 - part.x, 1.0 - part.x, part.x, part.x);
  return Corners(
    select(vec4u(), y * vec4u(params.iw) + x, inside),
    inside,
    select(vec4f(), along * across, inside),
    mask_at(plane * pixels + pixel),
  );
}

fn sample(plane: u32, at: Corners) -> f32 {
  let index = vec4u(plane) + at.at;
  let values = select(vec4f(), vec4f(src[index.x], src[index.y], src[index.z], src[index.w]), at.inside);
  let upper = fma(at.share.y, values.y, at.share.x * values.x);
  return at.mask * fma(at.share.w, values.w, fma(at.share.z, values.z, upper));
}`;
}
