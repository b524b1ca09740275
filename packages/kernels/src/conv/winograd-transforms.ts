/**
 * Winograd's convolution F(4x4, 3x3): a tile of 6 x 6 source values d and a filter of 3 x 3 values g give 4 x 4 outputs
 * by 36 products in place of 144,
 *
 *   y = A' [(G g G') * (B' d B)] A     with * element by element, summed over the channels before A
 *
 * The three matrices interpolate at the points 0, +-a, +-b and infinity. With a = sqrt(1/2) and b = sqrt(2) all of
 * their entries stay near 1, which costs a half of the error that 0, +-1, +-2 do, and ab = 1 leaves few constants.
 * Lavin, Gray: https://arxiv.org/abs/1509.09308; points: https://arxiv.org/abs/1803.10986
 */
import { floatLiteral } from '../shared/float-literal.ts';

/** Outputs and source values of a tile along one axis. */
export const TILE_OUTPUTS = 4;
export const TILE_VALUES = 6;
/** Products of a tile, each a matrix of the batched product. */
export const TILE_PRODUCTS = TILE_VALUES * TILE_VALUES;

const A = Math.SQRT1_2;
const B = Math.SQRT2;

/** G, 6 x 3, rows by point. */
const FILTER_MATRIX: readonly (readonly [number, number, number])[] = [
  [1, 0, 0],
  [-2 / 3, (-2 / 3) * A, -1 / 3],
  [-2 / 3, (2 / 3) * A, -1 / 3],
  [1 / 6, B / 6, 1 / 3],
  [1 / 6, -B / 6, 1 / 3],
  [0, 0, 1],
];

/**
 * G g G' in float64: filter [3, 3] at `from` of `source` to 36 numbers of `products`, those of product (row, column) at
 * row * 6 + column.
 */
export function transformFilter(source: ArrayLike<number>, from: number, products: Float64Array): void {
  for (let row = 0; row < TILE_VALUES; row++) {
    const [g0, g1, g2] = FILTER_MATRIX[row] ?? [0, 0, 0];
    const at = (column: number): number =>
      g0 * (source[from + column] ?? 0) +
      g1 * (source[from + 3 + column] ?? 0) +
      g2 * (source[from + 6 + column] ?? 0);
    interpolate(at(0), at(1), at(2), products, row * TILE_VALUES);
  }
}

/** The polynomial x0 + x1 p + x2 p^2 at the six points, divided as G divides. */
function interpolate(x0: number, x1: number, x2: number, to: Float64Array, at: number): void {
  const evenA = (-2 / 3) * x0 - (1 / 3) * x2;
  const oddA = (-2 / 3) * A * x1;
  const evenB = (1 / 6) * x0 + (1 / 3) * x2;
  const oddB = (B / 6) * x1;
  to[at] = x0;
  to[at + 1] = evenA + oddA;
  to[at + 2] = evenA - oddA;
  to[at + 3] = evenB + oddB;
  to[at + 4] = evenB - oddB;
  to[at + 5] = x2;
}

/** A line of WGSL names: `name(0)` to `name(5)`. */
type Names = (index: number) => string;

/** WGSL: B' of the six vec4f that `from` names, declared as `to`. */
export function sourceTransformWgsl(from: Names, to: Names): string {
  const [d0, d1, d2, d3, d4, d5] = line(from);
  const scaled = (factor: number, x: string, y: string): string => `fma(${splat(factor)}, ${x}, ${y})`;
  return `let ${to(0)} = ${scaled(-2.5, d2, `${d0} + ${d4}`)};
  let ${to(1)} = ${scaled(A, scaled(-2, d1, d3), scaled(-2, d2, d4))};
  let ${to(2)} = ${scaled(-A, scaled(-2, d1, d3), scaled(-2, d2, d4))};
  let ${to(3)} = ${scaled(B, scaled(-0.5, d1, d3), scaled(-0.5, d2, d4))};
  let ${to(4)} = ${scaled(-B, scaled(-0.5, d1, d3), scaled(-0.5, d2, d4))};
  let ${to(5)} = ${scaled(-2.5, d3, `${d1} + ${d5}`)};`;
}

/** WGSL: A' of the six vec4f that `from` names, declared as `to`, four of them. */
export function outputTransformWgsl(from: Names, to: Names): string {
  const [m0, m1, m2, m3, m4, m5] = line(from);
  const [evenA, oddA] = [`(${m1} + ${m2})`, `(${m1} - ${m2})`];
  const [evenB, oddB] = [`(${m3} + ${m4})`, `(${m3} - ${m4})`];
  return `let ${to(0)} = ${m0} + ${evenA} + ${evenB};
  let ${to(1)} = fma(${splat(A)}, ${oddA}, ${splat(B)} * ${oddB});
  let ${to(2)} = fma(${splat(0.5)}, ${evenA}, ${splat(2)} * ${evenB});
  let ${to(3)} = fma(${splat(A / 2)}, ${oddA}, fma(${splat(2 * B)}, ${oddB}, ${m5}));`;
}

function line(name: Names): readonly [string, string, string, string, string, string] {
  return [name(0), name(1), name(2), name(3), name(4), name(5)];
}

function splat(value: number): string {
  return `vec4f(${floatLiteral(value)})`;
}
