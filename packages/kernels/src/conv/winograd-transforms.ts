/**
 * Winograd's convolutions F(4x4, 3x3) and F(2x2, 3x3): a tile of source values d and a filter of 3 x 3 values g give a tile
 * of outputs, 4 x 4 of them by 36 products in place of 144, or 2 x 2 by 16 in place of 36,
 *
 *   y = A' [(G g G') * (B' d B)] A     with * element by element, summed over the channels before A
 *
 * The three matrices interpolate at points. Those of F(2x2) are 0, +-1 and infinity: entries 0, +-1 and 1/2,
 *
 *   B' = 1  0 -1  0     G =  1    0    0     A' = 1  1  1  0
 *        0  1  1  0         1/2  1/2  1/2         0  1 -1 -1
 *        0 -1  1  0         1/2 -1/2  1/2
 *        0  1  0 -1          0    0    1
 *
 * Those of F(4x4) are 0, +-a, +-b and infinity. With a = sqrt(1/2) and b = sqrt(2) all of its entries stay near 1, which
 * costs a half of the error that 0, +-1, +-2 do, and ab = 1 leaves few constants.
 * Lavin, Gray: https://arxiv.org/abs/1509.09308; points: https://arxiv.org/abs/1803.10986
 */
import { floatLiteral } from '../shared/float-literal.ts';
import { WINOGRAD_BLOCK_TERMS } from '../shared/tolerance.ts';

/** Products that transformed filters go to: that of product (row, column) at `to + (row * values + column) * step`. */
export interface FilterProducts {
  readonly target: Float32Array;
  readonly step: number;
}

/** A line of WGSL names: `name(0)` and on. */
type Names = (index: number) => string;

/** One of the two: the sizes of its tiles, and its matrices as texts and as a function. */
export interface WinogradVariant {
  /** Outputs of a tile along one axis. */
  readonly outputs: 4 | 2;
  /** Source values of a tile along one axis. */
  readonly values: number;
  /** Products of a tile, each a matrix of the batched product. */
  readonly products: number;
  /**
   * Terms of a block of the sums over the channels. Sums of F(2x2) are held to what `deterministic` mode promises: over
   * blocks of 256 channels its amplified errors come too near to that, see `sumTolerance`.
   */
  readonly blockTerms: number;
  /** G g G' in float64 of the filter [3, 3] at `from` of `source`. */
  readonly transformFilter: (
    source: Float32Array,
    from: number,
    products: FilterProducts,
    to: number,
  ) => void;
  /** WGSL: B' of the vec4f that `from` names, declared as `to`. */
  readonly sourceWgsl: (from: Names, to: Names) => string;
  /** WGSL: A' of the vec4f that `from` names, declared as `to`. */
  readonly outputWgsl: (from: Names, to: Names) => string;
}

export const WINOGRAD_4X4: WinogradVariant = {
  ...{ outputs: 4, values: 6, products: 36, blockTerms: WINOGRAD_BLOCK_TERMS[4] },
  ...{ transformFilter: filterOf4x4, sourceWgsl: sourceOf4x4, outputWgsl: outputOf4x4 },
};

export const WINOGRAD_2X2: WinogradVariant = {
  ...{ outputs: 2, values: 4, products: 16, blockTerms: WINOGRAD_BLOCK_TERMS[2] },
  ...{ transformFilter: filterOf2x2, sourceWgsl: sourceOf2x2, outputWgsl: outputOf2x2 },
};

const A = Math.SQRT1_2;
const B = Math.SQRT2;

/** Straight lines: a large layer has 262,144 filters. */
function filterOf4x4(source: Float32Array, from: number, { target, step }: FilterProducts, to: number): void {
  const x0 = source[from] as number;
  const x1 = source[from + 1] as number;
  const x2 = source[from + 2] as number;
  const y0 = ODD_A * (source[from + 3] as number);
  const y1 = ODD_A * (source[from + 4] as number);
  const y2 = ODD_A * (source[from + 5] as number);
  const z0 = source[from + 6] as number;
  const z1 = source[from + 7] as number;
  const z2 = source[from + 8] as number;
  const a0 = EVEN_A * (x0 + 0.5 * z0);
  const a1 = EVEN_A * (x1 + 0.5 * z1);
  const a2 = EVEN_A * (x2 + 0.5 * z2);
  const b0 = EVEN_B * (x0 + 2 * z0);
  const b1 = EVEN_B * (x1 + 2 * z1);
  const b2 = EVEN_B * (x2 + 2 * z2);
  const line = 6 * step;
  interpolate(target, to, step, x0, x1, x2);
  interpolate(target, to + line, step, a0 + y0, a1 + y1, a2 + y2);
  interpolate(target, to + 2 * line, step, a0 - y0, a1 - y1, a2 - y2);
  interpolate(target, to + 3 * line, step, b0 + B_PER_A * y0, b1 + B_PER_A * y1, b2 + B_PER_A * y2);
  interpolate(target, to + 4 * line, step, b0 - B_PER_A * y0, b1 - B_PER_A * y1, b2 - B_PER_A * y2);
  interpolate(target, to + 5 * line, step, z0, z1, z2);
}

/** G's rows at +-a are those of the powers 1, a, a^2 over -3/2, at +-b over 6. */
const EVEN_A = -2 / 3;
const ODD_A = EVEN_A * A;
const EVEN_B = 1 / 6;
const ODD_B = EVEN_B * B;
const B_PER_A = ODD_B / ODD_A;

/** F(4x4)'s G of three values, to six places of `target`. Plain parameters: an object a call would double the time. */
function interpolate(
  target: Float32Array,
  at: number,
  step: number,
  x0: number,
  x1: number,
  x2: number,
): void {
  const evenA = EVEN_A * (x0 + 0.5 * x2);
  const oddA = ODD_A * x1;
  const evenB = EVEN_B * (x0 + 2 * x2);
  const oddB = ODD_B * x1;
  target[at] = x0;
  target[at + step] = evenA + oddA;
  target[at + 2 * step] = evenA - oddA;
  target[at + 3 * step] = evenB + oddB;
  target[at + 4 * step] = evenB - oddB;
  target[at + 5 * step] = x2;
}

function sourceOf4x4(from: Names, to: Names): string {
  const [d0, d1, d2, d3, d4, d5] = line(from);
  const scaled = (factor: number, x: string, y: string): string => `fma(${splat(factor)}, ${x}, ${y})`;
  return `let ${to(0)} = ${scaled(-2.5, d2, `${d0} + ${d4}`)};
  let ${to(1)} = ${scaled(A, scaled(-2, d1, d3), scaled(-2, d2, d4))};
  let ${to(2)} = ${scaled(-A, scaled(-2, d1, d3), scaled(-2, d2, d4))};
  let ${to(3)} = ${scaled(B, scaled(-0.5, d1, d3), scaled(-0.5, d2, d4))};
  let ${to(4)} = ${scaled(-B, scaled(-0.5, d1, d3), scaled(-0.5, d2, d4))};
  let ${to(5)} = ${scaled(-2.5, d3, `${d1} + ${d5}`)};`;
}

function outputOf4x4(from: Names, to: Names): string {
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

function filterOf2x2(source: Float32Array, from: number, { target, step }: FilterProducts, to: number): void {
  const x0 = source[from] as number;
  const x1 = source[from + 1] as number;
  const x2 = source[from + 2] as number;
  const y0 = 0.5 * (source[from + 3] as number);
  const y1 = 0.5 * (source[from + 4] as number);
  const y2 = 0.5 * (source[from + 5] as number);
  const z0 = source[from + 6] as number;
  const z1 = source[from + 7] as number;
  const z2 = source[from + 8] as number;
  const e0 = 0.5 * (x0 + z0);
  const e1 = 0.5 * (x1 + z1);
  const e2 = 0.5 * (x2 + z2);
  const line = 4 * step;
  interpolateAtOne(target, to, step, x0, x1, x2);
  interpolateAtOne(target, to + line, step, e0 + y0, e1 + y1, e2 + y2);
  interpolateAtOne(target, to + 2 * line, step, e0 - y0, e1 - y1, e2 - y2);
  interpolateAtOne(target, to + 3 * line, step, z0, z1, z2);
}

/** F(2x2)'s G of three values, to four places of `target`. */
function interpolateAtOne(
  target: Float32Array,
  at: number,
  step: number,
  x0: number,
  x1: number,
  x2: number,
): void {
  const even = 0.5 * (x0 + x2);
  const odd = 0.5 * x1;
  target[at] = x0;
  target[at + step] = even + odd;
  target[at + 2 * step] = even - odd;
  target[at + 3 * step] = x2;
}

function sourceOf2x2(from: Names, to: Names): string {
  return `let ${to(0)} = ${from(0)} - ${from(2)};
  let ${to(1)} = ${from(1)} + ${from(2)};
  let ${to(2)} = ${from(2)} - ${from(1)};
  let ${to(3)} = ${from(1)} - ${from(3)};`;
}

function outputOf2x2(from: Names, to: Names): string {
  return `let ${to(0)} = ${from(0)} + ${from(1)} + ${from(2)};
  let ${to(1)} = ${from(1)} - ${from(2)} - ${from(3)};`;
}
