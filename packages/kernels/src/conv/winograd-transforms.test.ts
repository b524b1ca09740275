import { describe, expect, it, test } from 'vitest';
import { TRANSFORM_AMPLIFICATION } from '../shared/tolerance.ts';
import { WINOGRAD_2X2, WINOGRAD_4X4, type WinogradVariant } from './winograd-transforms.ts';

describe('transformFilter', () => {
  it('makes a filter of ones what its points say', () => {
    const ones = new Float32Array(9).fill(1);
    const four = new Float32Array(36);
    WINOGRAD_4X4.transformFilter(ones, 0, { target: four, step: 1 }, 0);
    expect(four[0]).toBe(1);
    expect(four[35]).toBe(1);
    expect(four[7]).toBeCloseTo(((2 / 3) * (1.5 + Math.SQRT1_2)) ** 2, 6);
    const two = new Float32Array(16);
    WINOGRAD_2X2.transformFilter(ones, 0, { target: two, step: 1 }, 0);
    expect([...two]).toEqual([1, 1.5, 0.5, 1].flatMap((y) => [1, 1.5, 0.5, 1].map((x) => x * y)));
  });
});

test.each([
  ['4x4', WINOGRAD_4X4],
  ['2x2', WINOGRAD_2X2],
])('the tolerance of %s follows from its matrices', (_, variant) => {
  const { outputs, b, g, a } = matricesOf(variant);
  const squares = (row: readonly number[]): number => row.reduce((sum, entry) => sum + entry ** 2, 0);
  const amplified = Array.from({ length: outputs }, (_, output) =>
    a.reduce((sum, row, p) => sum + (row[output] ?? 0) ** 2 * squares(b[p] ?? []) * squares(g[p] ?? []), 0),
  );
  expect(Math.max(...amplified) / 3).toBeCloseTo(TRANSFORM_AMPLIFICATION[outputs], 5);
});

/** The variant's matrices: rows of B' and G by product, rows of A by product. */
function matricesOf({ outputs, values, sourceWgsl, outputWgsl, transformFilter }: WinogradVariant) {
  const unit = (length: number, at: number) => Array.from({ length }, (_, index) => Number(index === at));
  const columns = (text: string, count: number, inputs: number): number[][] =>
    unit(inputs, 0).map((_, at) => evaluateLines(text, unit(inputs, at)).slice(0, count));
  const transposed = (rows: readonly (readonly number[])[]): number[][] =>
    (rows[0] ?? []).map((_, at) => rows.map((row) => row[at] ?? 0));
  const names = [(index: number) => `from[${index}]`, (index: number) => `to${index}`] as const;
  const g = unit(3, 0).map((_, at) => {
    // The first row of the products is G of the filter's first row.
    const products = new Float32Array(values * values);
    transformFilter(Float32Array.from(unit(9, at)), 0, { target: products, step: 1 }, 0);
    return [...products.subarray(0, values)];
  });
  return {
    outputs,
    b: transposed(columns(sourceWgsl(...names), values, values)),
    g: transposed(g),
    a: columns(outputWgsl(...names), outputs, values),
  };
}

/** Numbers in place of vec4f. */
function evaluateLines(wgsl: string, from: readonly number[]): number[] {
  const text = wgsl.replaceAll(/\b(\d[\d.e-]*)f\b/g, '$1').replaceAll(/let to\d = (.*);/g, 'to.push($1);');
  const to: number[] = [];
  new Function('from', 'to', 'fma', 'vec4f', text)(
    from,
    to,
    (x: number, y: number, z: number) => x * y + z,
    (x: number) => x,
  );
  return to;
}
