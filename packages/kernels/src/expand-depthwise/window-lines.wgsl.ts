/**
 * The depthwise windows of a band as WGSL. An invocation takes patches of neighbouring pixels in a row of dst, whose
 * windows share what they read of the map and of the taps, always for the same vec4 of channels.
 */
import type { MapTile } from './map-tile.ts';

export interface Windows {
  readonly tile: MapTile;
  readonly kh: number;
  readonly kw: number;
  readonly strideH: number;
  readonly strideW: number;
  readonly dilationH: number;
  readonly dilationW: number;
  /** Hidden values of a squeeze-excite: where there are some, `total` is the sum of the invocation's pixels. */
  readonly hidden?: number;
}

/**
 * Where column x of a row of the map lies: first the multiples of the split, then those one behind them, and so on. A
 * patch reads columns from a multiple of the split on: what neighbouring patches read at once lies side by side, where it
 * would be that many columns apart and in two or four places of the same banks.
 */
export function mapColumnWgsl({ split }: MapTile): string {
  const place =
    split === 1
      ? 'x'
      : `x / ${split}u + x % ${split}u * (params.map_width / ${split}u) + min(x % ${split}u, params.map_width % ${split}u)`;
  return `fn map_column(x: u32) -> u32 { return ${place}; }`;
}

export function windowLines(spec: Windows): string {
  const { tile, kh, kw, strideH, strideW, dilationH, dilationW, hidden } = spec;
  const pixels = Array.from({ length: tile.patch }, (_, pixel) => pixel);
  const taps = Array.from({ length: kw }, (_, s) => s);
  const columnOf = (pixel: number, s: number): number => pixel * strideW + s * dilationW;
  const columns = [...new Set(pixels.flatMap((pixel) => taps.map((s) => columnOf(pixel, s))))];
  const remainders = [...new Set(columns.map((column) => column % tile.split))];
  const lines = taps.flatMap((s) => [
    `let tap${s} = taps[(r * ${kw}u + ${s}u) * QUADS + quad];`,
    ...pixels.map((pixel) => `line${pixel} = fma(column${columnOf(pixel, s)}, tap${s}, line${pixel});`),
  ]);
  return `let quad = local % QUADS;
  let wide = first_quad + quad;
  ${remainders.map((rest) => `let columns${rest} = map_column(${rest}u) * QUADS;`).join('\n  ')}
  ${hidden === undefined ? '' : 'var total = vec4f();'}
  for (var n = 0u; n < ${tile.patches}u; n++) {
    let item = (local + n * INVOCATIONS) / QUADS;
    let y = u32((f32(item) + 0.5) * bitcast<f32>(params.patches_inverse));
    let across = item - y * params.patches;
    let x = across * ${tile.patch}u;
    if ((y < y_count) & (wide < params.wide_quads)) {
      let corner = (y * ${strideH}u * params.map_width + across * ${(tile.patch * strideW) / tile.split}u) * QUADS + quad;
      ${pixels.map((pixel) => `var sum${pixel} = vec4f();`).join('\n      ')}
      for (var r = 0u; r < ${kh}u; r++) {
        let row = corner + r * ${dilationH}u * params.map_width * QUADS;
        ${columns.map((column) => `let column${column} = map[row + columns${column % tile.split} + ${Math.floor(column / tile.split)}u * QUADS];`).join('\n        ')}
        ${pixels.map((pixel) => `var line${pixel} = vec4f();`).join('\n        ')}
        ${lines.join('\n        ')}
        ${pixels.map((pixel) => `sum${pixel} = sum${pixel} + line${pixel};`).join('\n        ')}
      }
      let at = ((image * params.oh + y_begin + y) * params.ow + x) * params.wide_quads + wide;
      ${pixels.map((pixel) => storeWgsl(pixel, hidden !== undefined)).join('\n      ')}
    }
  }`;
}

function storeWgsl(pixel: number, squeezes: boolean): string {
  return `if (x + ${pixel}u < params.ow) {
        let value = mask_lanes(activate(sum${pixel} + biases[QUADS + quad]), wide);
        dst[at + ${pixel}u * params.wide_quads] = value;
        ${squeezes ? 'total = total + value;' : ''}
      }`;
}
