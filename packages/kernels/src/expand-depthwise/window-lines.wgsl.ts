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

export function windowLines(spec: Windows): string {
  const { tile, kh, kw, strideH, strideW, dilationH, dilationW, hidden } = spec;
  const pixels = Array.from({ length: tile.patch }, (_, pixel) => pixel);
  const taps = Array.from({ length: kw }, (_, s) => s);
  const columnOf = (pixel: number, s: number): number => pixel * strideW + s * dilationW;
  const columns = [...new Set(pixels.flatMap((pixel) => taps.map((s) => columnOf(pixel, s))))];
  const lines = taps.flatMap((s) => [
    `let tap${s} = taps[(r * ${kw}u + ${s}u) * QUADS + quad];`,
    ...pixels.map((pixel) => `line${pixel} = fma(column${columnOf(pixel, s)}, tap${s}, line${pixel});`),
  ]);
  return `let quad = local % QUADS;
  let wide = first_quad + quad;
  ${hidden === undefined ? '' : 'var total = vec4f();'}
  for (var n = 0u; n < ${tile.patches}u; n++) {
    let item = (local + n * INVOCATIONS) / QUADS;
    let y = u32((f32(item) + 0.5) * bitcast<f32>(params.patches_inverse));
    let x = (item - y * params.patches) * ${tile.patch}u;
    if ((y < y_count) & (wide < params.wide_quads)) {
      let corner = (y * ${strideH}u * params.map_width + x * ${strideW}u) * QUADS + quad;
      ${pixels.map((pixel) => `var sum${pixel} = vec4f();`).join('\n      ')}
      for (var r = 0u; r < ${kh}u; r++) {
        let row = corner + r * ${dilationH}u * params.map_width * QUADS;
        ${columns.map((column) => `let column${column} = map[row + ${column}u * QUADS];`).join('\n        ')}
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
