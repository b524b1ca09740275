import { defaultCapabilities } from '@onegpu/core';
import {
  expectEqual,
  expectWithin,
  integerFill,
  randomFill,
  runPlan,
  sumTolerance,
  testDevice,
} from '@onegpu/testing';
import { describe, expect, test } from 'vitest';
import { applyActivation } from '../reference/activation.ts';
import { type GemmReferenceOperands, gemmReference } from '../reference/gemm.ts';
import { gemmSum } from '../reference/sums.ts';
import { GEMM_CASES } from './cases.ts';
import { type GemmProblem, makeGemmProblem, makeMatMulProblem } from './problem.ts';
import { GEMM_ALGORITHMS, selectGemm } from './select.ts';

/** Error of an activation formula, in ulp. */
const FUNCTION_ULP = 4;

type Fill = (length: number, seed: number) => Float32Array;

const product = (dims: readonly number[]): number => dims.reduce((total, extent) => total * extent, 1);

function operandsOf(problem: GemmProblem, fill: Fill): GemmReferenceOperands {
  const { gemmM, gemmN, gemmK } = problem;
  const sources = 1 + problem.srcMatrices.reduce((last, index) => Math.max(last, index), 0);
  const bias = { none: 0, scalar: 1, row: gemmN, column: gemmM, full: gemmM * gemmN }[problem.addend];
  return {
    src: fill(sources * gemmM * gemmK, 1),
    weights: fill(problem.weightsCount * gemmK * gemmN, 2),
    bias: problem.addend === 'none' ? undefined : fill(bias, 3),
    residual: problem.residual ? fill(product(problem.dstDims), 4) : undefined,
  };
}

function expectedOf(problem: GemmProblem, operands: GemmReferenceOperands): Float64Array {
  return gemmReference(problem, operands).map((sum) => applyActivation(problem.activation, sum));
}

async function runGemm(problem: GemmProblem, operands: GemmReferenceOperands, algorithm: string) {
  const device = await testDevice();
  const { plan } = selectGemm(problem, device.capabilities, { mode: 'fast', algorithm });
  const inputs = Object.fromEntries(
    Object.entries(operands).filter((entry): entry is [string, Float32Array] => entry[1] !== undefined),
  );
  const { dst } = await runPlan(device, plan, { inputs, outputs: { dst: product(problem.dstDims) } });
  return dst;
}

describe.each(GEMM_ALGORITHMS.map((entry) => [entry.name, entry] as const))('%s', (algorithm, entry) => {
  const taken = GEMM_CASES.filter(({ problem }) => !entry.impossible(problem, defaultCapabilities()));
  test.each(taken)('$name', async ({ problem }) => {
    const exact = operandsOf(problem, (length, seed) => integerFill(length, seed, -4, 4));
    expectEqual(await runGemm(problem, exact, algorithm), expectedOf(problem, exact), problem.dstDims);
    const real = operandsOf(problem, randomFill);
    const tolerance = sumTolerance(gemmSum(problem));
    const got = await runGemm(problem, real, algorithm);
    expectWithin(got, expectedOf(problem, real), tolerance, problem.dstDims);
  });

  test('a term beside an infinity stays finite', async () => {
    const problem = makeMatMulProblem({ srcDims: [2, 3, 5], weightsDims: [2, 5, 3] });
    const src = new Float32Array(30).fill(1);
    const weights = new Float32Array(30).fill(1).fill(Number.POSITIVE_INFINITY, 15);
    const dst = await runGemm(problem, { src, weights }, algorithm);
    expect([...dst.slice(0, 9)]).toEqual(new Array(9).fill(5));
  });

  test('an activation behind addend and residual; arena offsets change no bit', async () => {
    const device = await testDevice();
    const problem = makeGemmProblem({
      srcDims: [2, 16],
      weightsDims: [16, 7],
      biasDims: [7],
      residual: true,
      weightsConstant: true,
      activation: [{ kind: 'sigmoid' }],
    });
    const { plan } = selectGemm(problem, device.capabilities, { mode: 'deterministic', algorithm });
    const { src, weights, bias, residual } = operandsOf(problem, randomFill);
    if (bias === undefined || residual === undefined) throw new Error('the case has both');
    const inputs = { src, weights, bias, residual };
    const run = (arenaOffset: number) =>
      runPlan(device, plan, { inputs, outputs: { dst: 14 }, arenaOffset }).then(({ dst }) => dst);
    const expected = gemmReference(problem, inputs).map((sum) => applyActivation(problem.activation, sum));
    const got = await run(0);
    expectWithin(got, expected, sumTolerance({ terms: 18, activationUlp: FUNCTION_ULP }), problem.dstDims);
    expectEqual(await run(512), got, problem.dstDims);
  });

  test('grids over the limit of one dimension are folded', async () => {
    const device = await testDevice();
    const problem = makeGemmProblem({ srcDims: [33, 8], weightsDims: [8, 131], weightsConstant: true });
    const limits = { ...device.capabilities.limits, maxComputeWorkgroupsPerDimension: 4 };
    const target = { ...device.capabilities, limits };
    const { plan } = selectGemm(problem, target, { mode: 'fast', algorithm });
    const operands = operandsOf(problem, (length, seed) => integerFill(length, seed, -4, 4));
    const inputs = { src: operands.src, weights: operands.weights };
    const { dst } = await runPlan(device, plan, { inputs, outputs: { dst: 33 * 131 } });
    expectEqual(dst, expectedOf(problem, operands), problem.dstDims);
  });
});

test('the large tile of hardware adapters, on any adapter', async () => {
  const device = await testDevice();
  const target = { ...device.capabilities, software: false };
  const problem = makeGemmProblem({ srcDims: [67, 530], weightsDims: [530, 68], weightsConstant: true });
  const { plan } = selectGemm(problem, target, { mode: 'fast', algorithm: 'tiled' });
  const operands = operandsOf(problem, (length, seed) => integerFill(length, seed, -4, 4));
  const inputs = { src: operands.src, weights: operands.weights };
  const { dst } = await runPlan(device, plan, { inputs, outputs: { dst: 67 * 68 } });
  expectEqual(dst, expectedOf(problem, operands), problem.dstDims);
});

describe('plans', () => {
  const hardware = defaultCapabilities();
  const software = defaultCapabilities({ software: true });

  test('rows are a parameter: another batch compiles nothing', () => {
    for (const { name } of GEMM_ALGORITHMS) {
      const texts = [1, 16].map((rows) => {
        const problem = makeGemmProblem({
          srcDims: [rows, 960],
          weightsDims: [1280, 960],
          biasDims: [1280],
          transB: true,
          weightsConstant: true,
        });
        return selectGemm(problem, hardware, { mode: 'fast', algorithm: name }).plan.passes[0]?.wgsl;
      });
      expect(texts[0]).toBe(texts[1]);
    }
  });

  test('the choice follows rows and adapter', () => {
    const choice = (rows: number, target: typeof hardware): string =>
      selectGemm(makeGemmProblem({ srcDims: [rows, 64], weightsDims: [64, 64] }), target).algorithm;
    const onHardware = [1, 8, 100].map((rows) => choice(rows, hardware));
    expect(onHardware).toEqual(['gemv-sliced', 'rows-sliced', 'tiled']);
    expect([choice(1, software), choice(100, software)]).toEqual(['gemv', 'register-tile']);
  });

  test('labels name the epilogue', () => {
    const problem = makeGemmProblem({
      srcDims: [1, 64],
      weightsDims: [64, 64],
      biasDims: [64],
      activation: [{ kind: 'hard-swish' }],
    });
    expect(selectGemm(problem, software).plan.label).toBe('gemm/gemv/f32/1x4/bias+hard-swish');
  });
});

describe('problems', () => {
  test('dims follow numpy', () => {
    const dims = (a: number[], b: number[]) => makeMatMulProblem({ srcDims: a, weightsDims: b }).dstDims;
    expect(dims([4], [4])).toEqual([]);
    expect(dims([4], [2, 4, 3])).toEqual([2, 3]);
    expect(dims([5, 1, 2, 4], [3, 4, 6])).toEqual([5, 3, 2, 6]);
  });

  test.each([
    ['inner extents', () => makeGemmProblem({ srcDims: [2, 3], weightsDims: [4, 5] }), 'gemmK'],
    ['rank', () => makeGemmProblem({ srcDims: [2, 3, 1], weightsDims: [3, 5] }), 'src'],
    ['addend', () => makeGemmProblem({ srcDims: [2, 3], weightsDims: [3, 5], biasDims: [2] }), 'bias'],
    ['batch', () => makeMatMulProblem({ srcDims: [2, 2, 3], weightsDims: [3, 3, 5] }), 'weights'],
    ['scalar', () => makeMatMulProblem({ srcDims: [], weightsDims: [3] }), 'src'],
  ])('wrong %s', (_, make, field) => {
    expect(make).toThrow(expect.objectContaining({ details: expect.objectContaining({ field }) }));
  });
});
