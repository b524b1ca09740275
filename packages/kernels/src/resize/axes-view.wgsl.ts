/**
 * WGSL of the view that the kernels for any number of axes share; K resized axes are compiled in, all extents are
 * parameters.
 *
 *   src [mid_0, src_0, mid_1, src_1, ..., inner] -> dst [mid_0, dst_0, mid_1, dst_1, ..., inner]
 *
 * An element of src is reached an axis at a time: with `row` the index of the axes before,
 * row_k+1 = (row_k * mid_k + m_k) * src_k + position, and at the end row * inner + i.
 */
import { FLAT_INDEX } from '../shared/flat-grid.ts';

/** Taps of each resized axis. */
export interface AxesSpec {
  readonly taps: readonly number[];
  /** Words of one tap, the first its source position: a u32, a vec2u or three u32 of the table. */
  readonly tapWords: 1 | 2 | 3;
}

/** Words of `struct Params`, padded to whole vec4. */
export interface AxesParams {
  readonly total: number;
  readonly inner: number;
  /** Low and high word of the result outside the source. */
  readonly extrapolation: readonly [number, number];
  readonly axes: readonly {
    readonly mid: number;
    readonly src: number;
    readonly dst: number;
    /** Where its taps begin in the table, in elements of the array. */
    readonly first: number;
  }[];
}

export function axesParams({ total, inner, extrapolation, axes }: AxesParams): Uint32Array {
  const words = [total, inner, ...extrapolation];
  for (const { mid, src, dst, first } of axes) words.push(mid, src, dst, first);
  return Uint32Array.from(words);
}

/**
 * `struct Params`, `struct At` (where an invocation's element lies), `fn locate(index: u32) -> At`, and
 * `fn is_outside(at: At) -> bool` over the array `taps`.
 */
export function axesViewWgsl({ taps, tapWords }: AxesSpec): string {
  const axes = taps.map((_, k) => k);
  const stride = (k: number): number => (taps[k] ?? 1) * (tapWords === 3 ? 3 : 1);
  const position = (k: number): string =>
    `taps[params.first_${k} + at.x_${k} * ${stride(k)}u]${tapWords === 2 ? '.x' : ''}`;
  return `
struct Params {
  total: u32,
  inner: u32,
  extrapolation: u32,
  extrapolation_high: u32,
${axes.map((k) => `  mid_${k}: u32,\n  src_${k}: u32,\n  dst_${k}: u32,\n  first_${k}: u32,`).join('\n')}
}
struct At {
  i: u32,
${axes.map((k) => `  x_${k}: u32,  // along resized axis ${k}\n  m_${k}: u32,  // in front of it`).join('\n')}
}
${FLAT_INDEX}
fn locate(index: u32) -> At {
  var at: At;
  at.i = index % params.inner;
  var rest = index / params.inner;
${axes
  .toReversed()
  .map(
    (k) =>
      `  at.x_${k} = rest % params.dst_${k};\n  rest = rest / params.dst_${k};\n  at.m_${k} = rest % params.mid_${k};\n  rest = rest / params.mid_${k};`,
  )
  .join('\n')}
  return at;
}
fn is_outside(at: At) -> bool {
  return ${axes.map((k) => `${position(k)} == 0xffffffffu`).join(' || ') || 'false'};
}`;
}
