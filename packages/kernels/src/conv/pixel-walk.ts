/**
 * WGSL lines that lead a register tile over its source pixels: rows of the tile are consecutive output pixels, the
 * lines keep each row's top left source position and give, for a tap, its index in src and whether it lies inside.
 * Strides, dilations and the layout of src are parameters (`walkParams`).
 * No short-circuit `&&`: each one is a branch, and dozens of them keep SwiftShader's compiler busy for minutes.
 */
import { type RegisterTile, rowLines } from '../gemm/tile-lines.ts';
import { paddedChannels } from '../shared/layout.ts';
import type { ParamsRecord } from '../shared/params-block.ts';
import type { ConvProblem } from './problem.ts';

/** What src is to the walk: an image of either layout, or a matrix of one row an output pixel. */
export type WalkSource =
  | { readonly kind: 'image' }
  | { readonly kind: 'matrix'; readonly rows: number; readonly columns: number };

/**
 * Whether whole vec4 of channels may be read. The other way reads four scalars `channel_step` apart, which serves
 * every layout.
 */
export function readsQuads({ layout, ic, groups }: ConvProblem, source: WalkSource): boolean {
  if (source.kind === 'matrix') return source.columns % 4 === 0;
  return layout === 'nhwc4' && (groups === 1 || (ic / groups) % 4 === 0);
}

/** Words the walk reads; indices count vec4 where `readsQuads`, else scalars. */
export function walkParams(problem: ConvProblem, source: WalkSource): ParamsRecord {
  const unit = readsQuads(problem, source) ? 4 : 1;
  if (source.kind === 'matrix') {
    const { rows, columns } = source;
    return {
      ...{ ih: 1, iw: rows, oh: 1, ow: rows, pad_top: 0, pad_left: 0, kw: 1 },
      ...{ stride_h: 1, stride_w: 1, dilation_h: 1, dilation_w: 1 },
      ...{ image_step: 0, pixel_step: columns / unit, channel_step: 1 },
    };
  }
  const { layout, ic, ih, iw } = problem;
  const stored = paddedChannels(ic) / unit;
  const steps =
    layout === 'nchw'
      ? { image_step: ic * ih * iw, pixel_step: 1, channel_step: ih * iw }
      : { image_step: ih * iw * stored, pixel_step: stored, channel_step: 1 };
  return {
    ...{ ih, iw, oh: problem.oh, ow: problem.ow, pad_top: problem.padTop, pad_left: problem.padLeft },
    ...{ kw: problem.kw, stride_h: problem.strideH, stride_w: problem.strideW },
    ...{ dilation_h: problem.dilationH, dilation_w: problem.dilationW },
    ...steps,
  };
}

/** Uses `row`, the first output pixel. `gated` declares `gate<i>` too, where the factors of the row's image begin. */
export function walkStart(tile: RegisterTile, source: 'plain' | 'gated' = 'plain'): string {
  return `var out_x = row % params.ow;
  var out_y = row / params.ow % params.oh;
  var image = row / params.ow / params.oh;
  ${rowLines(
    tile,
    (i) => `let image${i} = image * params.image_step;
  ${source === 'gated' ? `let gate${i} = image * params.group_src_quads;` : ''}
  let y${i} = i32(out_y * params.stride_h) - i32(params.pad_top);
  let x${i} = i32(out_x * params.stride_w) - i32(params.pad_left);
  let live${i} = row + ${i}u < params.rows;
  ${i + 1 < tile.rows ? NEXT_PIXEL : ''}`,
  )}`;
}

/** Uses `tap_y`, `tap_x` and `first`, a channel; declares `origin<i>`, its index at the row's pixel, and `inside<i>`. */
export function walkTap(tile: RegisterTile): string {
  return `let down = i32(tap_y * params.dilation_h);
      let right = i32(tap_x * params.dilation_w);
      ${rowLines(
        tile,
        (i) => `let sy${i} = u32(y${i} + down);
      let sx${i} = u32(x${i} + right);
      let inside${i} = live${i} & (sy${i} < params.ih) & (sx${i} < params.iw);
      let pixel${i} = image${i} + (sy${i} * params.iw + sx${i}) * params.pixel_step;
      let origin${i} = select(0u, pixel${i} + first * params.channel_step, inside${i});`,
      )}`;
}

/**
 * Declares `src` (binding 0) and `fn load_src(origin: u32, quad: u32, count: u32) -> vec4f`: four channels from
 * channel 4 * quad behind the origin, zero from channel `count` on.
 */
export function walkSourceWgsl(quads: boolean): string {
  if (quads) {
    return `@group(0) @binding(0) var<storage, read> src: array<vec4f>;
fn load_src(origin: u32, quad: u32, count: u32) -> vec4f { return src[origin + quad]; }`;
  }
  return `@group(0) @binding(0) var<storage, read> src: array<f32>;
fn load_src(origin: u32, quad: u32, count: u32) -> vec4f {
  let channels = vec4u(4u * quad) + vec4u(0u, 1u, 2u, 3u);
  let at = vec4u(origin) + min(channels, vec4u(count - 1u)) * vec4u(params.channel_step);
  return select(vec4f(), vec4f(src[at.x], src[at.y], src[at.z], src[at.w]), channels < vec4u(count));
}`;
}

const NEXT_PIXEL = `out_x = out_x + 1u;
  out_y = select(out_y, out_y + 1u, out_x == params.ow);
  out_x = select(out_x, 0u, out_x == params.ow);
  image = select(image, image + 1u, out_y == params.oh);
  out_y = select(out_y, 0u, out_y == params.oh);`;
