/**
 * Matrix products, and convolutions that are one, with each extent on both sides of every tile edge: all of them in a
 * sweep, one an algorithm in an ordinary test. Every fourth runs over float16.
 */
import { testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { type ConvProblem, makeConvProblem } from '../src/conv/problem.ts';
import { exactConvAlgorithms } from '../src/conv/select.ts';
import { type ConvIntegerProblem, makeConvIntegerProblem } from '../src/conv-integer/problem.ts';
import { CONV_INTEGER_ALGORITHMS } from '../src/conv-integer/select.ts';
import { type ConvTransposeProblem, makeConvTransposeProblem } from '../src/conv-transpose/problem.ts';
import { CONV_TRANSPOSE_ALGORITHMS } from '../src/conv-transpose/select.ts';
import { makeMatMulProblem } from '../src/gemm/problem.ts';
import { GEMM_ALGORITHMS } from '../src/gemm/select.ts';
import type { Algorithm } from '../src/shared/algorithm.ts';
import { checkConv } from './check-conv.ts';
import { checkConvInteger } from './check-conv-integer.ts';
import { checkConvTranspose } from './check-conv-transpose.ts';
import { checkGemm } from './check-gemm.ts';
import type { FloatStorage } from './check-sums.ts';
import { SWEEP_TIMEOUT, wholeSweep } from './sweep.ts';

/** Rows (or pixels), columns (or output channels) and terms of one product. */
interface Shape {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

const LAYOUTS = ['nhwc4', 'nchw'] as const;
const INNER: Shape = { m: 35, n: 20, k: 20 };

function aroundAll(tiles: readonly number[]): number[] {
  return [...new Set(tiles.flatMap((tile) => [tile - 1, tile, tile + 1]))].filter((extent) => extent > 0);
}

/** Tiles of registers, of workgroups, and what 64 invocations of 4 rows make; terms also in blocks and slices. */
const SHAPES: readonly Shape[] = [
  ...aroundAll([1, 4, 8, 16, 32, 64, 128, 256]).map((m) => ({ ...INNER, m })),
  ...aroundAll([1, 4, 8, 16, 32, 64, 128]).map((n) => ({ ...INNER, n })),
  ...aroundAll([1, 4, 8, 16, 32, 64, 128, 256, 512]).map((k) => ({ ...INNER, k })),
  ...corners({ m: 64, n: 64, k: 16 }),
  ...corners({ m: 32, n: 32, k: 128 }),
  ...corners({ m: 4, n: 8, k: 4 }),
];

/** Both sides of the edge in every direction at once. */
function corners({ m, n, k }: Shape): Shape[] {
  return [m - 1, m + 1].flatMap((rows) =>
    [n - 1, n + 1].flatMap((columns) => [k - 1, k + 1].map((terms) => ({ m: rows, n: columns, k: terms }))),
  );
}

/** A convolution of one tap; one filter a channel for the kernels that take nothing else. */
function convs({ m, n, k }: Shape): ConvProblem[] {
  const shared = { weightsConstant: true, epilogue: { bias: true, residual: false, activation: [] } };
  return LAYOUTS.flatMap((layout) => [
    makeConvProblem({ ...shared, layout, src: [1, k, 1, m], weights: [n, k, 1, 1] }),
    makeConvProblem({
      ...{ ...shared, layout, src: [1, n, 3, m], weights: [n, 1, 3, 3] },
      ...{ groups: n, pads: [1, 1, 1, 1] },
    }),
  ]);
}

function transposed({ m, n, k }: Shape): ConvTransposeProblem[] {
  return LAYOUTS.map((layout) =>
    makeConvTransposeProblem({
      ...{ layout, srcDims: [1, k, 1, m], weightsDims: [k, n, 2, 2], strides: [2, 2], biasDims: [n] },
      weightsConstant: true,
    }),
  );
}

function integerConvs({ m, n, k }: Shape): ConvIntegerProblem[] {
  const shared = { srcZeroPoint: true, weightsConstant: true, weightsZeroPointDims: [n] };
  const types = { srcType: 'uint8', weightsType: 'int8' } as const;
  return LAYOUTS.flatMap((layout) => [
    makeConvIntegerProblem({ ...shared, ...types, layout, src: [1, k, 1, m], weights: [n, k, 1, 1] }),
    makeConvIntegerProblem({
      ...{ ...shared, ...types, layout, src: [1, n, 3, m], weights: [n, 1, 3, 3] },
      ...{ groups: n, pads: [1, 1, 1, 1] },
    }),
  ]);
}

interface EdgeFamily<Problem> {
  readonly name: string;
  readonly algorithms: readonly Algorithm<Problem>[];
  /** Forms that a shape has; an algorithm gets the first that it takes. */
  readonly forms: (shape: Shape) => readonly Problem[];
  readonly check: (problem: Problem, entry: Algorithm<Problem>, storage: FloatStorage) => Promise<void>;
}

function describeEdges<Problem>({ name, algorithms, forms, check }: EdgeFamily<Problem>): void {
  describe(`edge shapes of ${name}`, () => {
    it.each(algorithms.map((entry, place) => [entry.name, entry, place] as const))(
      '%s',
      async (algorithm, entry, place) => {
        const { capabilities } = await testDevice();
        const takes = (problem: Problem): boolean => entry.impossible(problem, capabilities) === undefined;
        const rows = SHAPES.flatMap((shape, at) => {
          const problem = forms(shape).find(takes);
          return problem === undefined ? [] : [{ at, shape, problem }];
        });
        const one = (23 * place + 5) % Math.max(rows.length, 1);
        const chosen = wholeSweep() ? rows : rows.slice(one, one + 1);
        expect(chosen.length, 'shapes taken').toBeGreaterThan(0);
        for (const { at, shape, problem } of chosen) {
          const failed = (error: unknown): never => {
            throw new Error(`${algorithm} of ${JSON.stringify(shape)}`, { cause: error });
          };
          await check(problem, entry, at % 4 === 3 ? 'float16' : 'float32').catch(failed);
        }
        if (wholeSweep()) console.log(`edge shapes of ${name}, ${algorithm}: ${chosen.length}`);
      },
      SWEEP_TIMEOUT,
    );
  });
}

/** Transformed products have no form of one tap. */
const CONV_ALGORITHMS = exactConvAlgorithms.filter(({ bound }) => bound === undefined);

describeEdges({ name: 'conv', algorithms: CONV_ALGORITHMS, forms: convs, check: checkConv });
describeEdges({
  ...{ name: 'conv-transpose', algorithms: CONV_TRANSPOSE_ALGORITHMS, forms: transposed },
  check: checkConvTranspose,
});
describeEdges({
  ...{ name: 'gemm', algorithms: GEMM_ALGORITHMS, check: checkGemm },
  forms: ({ m, n, k }) => [
    makeMatMulProblem({ srcDims: [m, k], weightsDims: [k, n], weightsConstant: true, bias: true }),
  ],
});
describeEdges({
  ...{ name: 'conv-integer', algorithms: CONV_INTEGER_ALGORITHMS, forms: integerConvs },
  check: (problem, { name }) => checkConvInteger(problem, name, false),
});
