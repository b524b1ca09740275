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
}

export interface PixelWalkText {
  /** Uses `row`, the first output pixel. */
  readonly start: string;
  /** Uses `tap`; declares `pixel<i>`. */
  readonly tap: string;
  /** The source at `from<i> + offset`, zero outside. */
  load(row: number, offset: string): string;
}

export function pixelWalkWgsl(walk: PixelWalk, tile: RegisterTile): PixelWalkText {
  if (walk.pointwise) {
    return {
      start: '',
      tap: rowLines(tile, (i) => `let pixel${i} = min(row + ${i}u, params.rows - 1u);`),
      load: (i, offset) => `src[from${i} + ${offset}]`,
    };
  }
  return {
    start: `var out_x = row % params.ow;
  var out_y = row / params.ow % params.oh;
  var image = row / params.ow / params.oh;
  ${rowLines(
    tile,
    (i) => `let base${i} = image * params.ih;
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
      let pixel${i} = select(0u, (base${i} + sy${i}) * params.iw + sx${i}, inside${i});`,
      )}`,
    load: (i, offset) => `select(0.0, src[from${i} + ${offset}], inside${i})`,
  };
}

const NEXT_PIXEL = `out_x = out_x + 1u;
  out_y = select(out_y, out_y + 1u, out_x == params.ow);
  out_x = select(out_x, 0u, out_x == params.ow);
  image = select(image, image + 1u, out_y == params.oh);
  out_y = select(out_y, 0u, out_y == params.oh);`;
