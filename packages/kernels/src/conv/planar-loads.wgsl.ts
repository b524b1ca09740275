/**
 * Loads of the implicit GEMM from planes. Here k runs over (plane, tap row, tap column) without a gap, the order that
 * the weights have in OIHW: a vec4 along k holds four neighbouring terms, each with a tap, and so a check, of its own.
 */
import { type RegisterTile, rowLines } from '../gemm/tile-lines.ts';
import type { ImplicitGemmSpec } from './implicit-gemm.wgsl.ts';

/** How the source lies, and the window; literals, since k is taken apart by them. */
export interface Planes {
  /** At most four. */
  readonly count: number;
  readonly kh: number;
  readonly kw: number;
}

const LANES = ['x', 'y', 'z', 'w'];

/** Declares `src`, and where the terms lie. */
export function planarSourceWgsl({ count, kh, kw }: Planes): string {
  const terms = count * kh * kw;
  return `@group(0) @binding(0) var<storage, read> src: array<f32>;
const TERMS = ${terms}u;
fn load_src(at: u32) -> f32 { return src[at]; }
// Of term k: columns and rows from a pixel's first tap to its own, and elements from the one to the other.
fn term_at(k: u32) -> vec3i {
  let plane = ${quotientWgsl('k', kh * kw, terms)};
  let tap = k - plane * ${kh * kw}u;
  let tap_row = ${quotientWgsl('tap', kw, kh * kw)};
  let y = i32(tap_row * params.dilation_h);
  let x = i32((tap - tap_row * ${kw}u) * params.dilation_w);
  return vec3i(x, y, (i32(plane * params.ih) + y) * i32(params.iw) + x);
}`;
}

/** Loads `next_a<row>` of the step; behind the last term, and outside the picture, nothing is read and lanes are zero. */
export function planarLoadsWgsl(
  { planes, tile, chain, padded }: ImplicitGemmSpec,
  loadRows: RegisterTile,
): string {
  if (planes === undefined) throw new RangeError('the source does not lie in planes');
  const ends = !chain.exact || (planes.count * planes.kh * planes.kw) % tile.tileK !== 0;
  const terms = LANES.map((_, lane) => {
    const wanted = ends ? `\nlet wanted${lane} = 4u * k_quad + ${lane}u < TERMS;` : '';
    return `let term${lane} = term_at(4u * k_quad + ${lane}u);${wanted}`;
  });
  const loads = rowLines(loadRows, (q) => {
    const lanes = LANES.map((name, lane) => {
      const load = `next_a${q}.${name} = load_src(u32(origin${q} + term${lane}.z));`;
      const conditions = [
        ...(ends ? [`wanted${lane}`] : []),
        ...(padded
          ? [`(u32(top${q} + term${lane}.y) < params.ih)`, `(u32(left${q} + term${lane}.x) < params.iw)`]
          : []),
      ].join(' & ');
      return conditions === '' ? load : `if (${conditions}) { ${load} }`;
    });
    return `next_a${q} = vec4f();\n${lanes.join('\n')}`;
  });
  return `${terms.join('\n')}\n${loads}`;
}

/**
 * The whole part of `value / divisor` for values below `limit`: a multiplication and a shift where that is exact.
 * With m = (2^16 + e) / divisor, e < divisor, the product is too large by value * e / divisor, less than 2^16 / divisor.
 */
function quotientWgsl(value: string, divisor: number, limit: number): string {
  if (divisor === 1) return value;
  if (limit * divisor > 65536) return `${value} / ${divisor}u`;
  return `(${value} * ${Math.ceil(65536 / divisor)}u) >> 16u`;
}
