/**
 * WGSL lines that lead a register tile over its source pixels: rows of the tile are consecutive output pixels, the
 * lines keep each row's top left source position and give, for a tap, its pixel index and whether it lies inside.
 * No short-circuit `&&`: each one is a branch, and dozens of them keep SwiftShader's compiler busy for minutes.
 */
import { type RegisterTile, rowLines } from '../gemm/tile-lines.ts';

export interface PixelWalk {
  readonly kh: number;
  readonly kw: number;
  readonly strideH: number;
  readonly strideW: number;
  readonly dilationH: number;
  readonly dilationW: number;
  /** Row m reads pixel m: one tap, stride 1, no pads. */
  readonly pointwise: boolean;
  /** How src lies: scalars between two pixels of `nhwc4`, channels of `nchw`. */
  readonly source:
    | { readonly layout: 'nhwc4'; readonly pixelStride: number }
    | { readonly layout: 'nchw'; readonly channels: number };
}

export interface PixelWalkText {
  /** Uses `row`, the first output pixel. */
  readonly start: string;
  /** Uses `tap`; declares `origin<i>`, the index in src of channel 0 at the row's pixel. */
  readonly tap: string;
  /** Distance in src from channel 0 to `channel` of the same pixel. */
  channelOffset(channel: string): string;
  /** The source at `index`, zero where the row's pixel lies outside. */
  load(row: number, index: string): string;
}

export function pixelWalkWgsl(walk: PixelWalk, tile: RegisterTile): PixelWalkText {
  const { source } = walk;
  const planes = source.layout === 'nchw';
  const channelOffset = (channel: string): string => (planes ? `(${channel}) * channel_step` : channel);
  const step = planes ? 'let channel_step = params.ih * params.iw;' : '';
  if (walk.pointwise) {
    const origin = planes
      ? `pixel / channel_step * ${source.channels}u * channel_step + pixel % channel_step`
      : `pixel * ${source.pixelStride}u`;
    return {
      start: `${step}
  ${rowLines(tile, (i) => `var origin${i} = 0u; { let pixel = min(row + ${i}u, params.rows - 1u); origin${i} = ${origin}; }`)}`,
      tap: '',
      channelOffset,
      load: (_, index) => `src[${index}]`,
    };
  }
  const origin = (i: number): string =>
    planes
      ? `image${i} * ${source.channels}u * channel_step + sy${i} * params.iw + sx${i}`
      : `((image${i} * params.ih + sy${i}) * params.iw + sx${i}) * ${source.pixelStride}u`;
  return {
    start: `${step}
  var out_x = row % params.ow;
  var out_y = row / params.ow % params.oh;
  var image = row / params.ow / params.oh;
  ${rowLines(
    tile,
    (i) => `let image${i} = image;
  let y${i} = i32(out_y * ${walk.strideH}u) - i32(params.pad_top);
  let x${i} = i32(out_x * ${walk.strideW}u) - i32(params.pad_left);
  let live${i} = row + ${i}u < params.rows;
  ${i + 1 < tile.rows ? NEXT_PIXEL : ''}`,
  )}`,
    tap: `let tap_y = i32(tap / ${walk.kw}u * ${walk.dilationH}u);
      let tap_x = i32(tap % ${walk.kw}u * ${walk.dilationW}u);
      ${rowLines(
        tile,
        (i) => `let sy${i} = u32(y${i} + tap_y);
      let sx${i} = u32(x${i} + tap_x);
      let inside${i} = live${i} & (sy${i} < params.ih) & (sx${i} < params.iw);
      let origin${i} = select(0u, ${origin(i)}, inside${i});`,
      )}`,
    channelOffset,
    load: (i, index) => `select(0.0, src[${index}], inside${i})`,
  };
}

const NEXT_PIXEL = `out_x = out_x + 1u;
  out_y = select(out_y, out_y + 1u, out_x == params.ow);
  out_x = select(out_x, 0u, out_x == params.ow);
  image = select(image, image + 1u, out_y == params.oh);
  out_y = select(out_y, 0u, out_y == params.oh);`;
