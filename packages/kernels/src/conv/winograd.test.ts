import { DEFAULT_LIMITS, defaultCapabilities } from '@onegpu/core';
import { compileModule, expectExact, expectWithin, randomFill, testDevice } from '@onegpu/testing';
import { describe, expect, it, test } from 'vitest';
import { runInLayout } from '../../test/run-in-layout.ts';
import { referenceConv } from '../reference/conv.ts';
import { ACTIVATION_ULP } from '../shared/activation.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import { PLAIN_EPILOGUE } from '../shared/epilogue.ts';
import { sumTolerance } from '../shared/tolerance.ts';
import { CONV_CASES } from './cases.ts';
import { type ConvProblem, type ConvRequest, convTerms, makeConvProblem } from './problem.ts';
import { convScratch, selectConv } from './select.ts';
import { winograd, winogradOf } from './winograd.ts';
import { transformFilter } from './winograd-transforms.ts';

const SOFTWARE = defaultCapabilities({ software: true });
const LARGE_HARDWARE = defaultCapabilities({
  limits: {
    ...DEFAULT_LIMITS,
    maxComputeWorkgroupStorageSize: 49152,
    maxComputeInvocationsPerWorkgroup: 1024,
    maxComputeWorkgroupSizeX: 1024,
  },
});

/** Tiles that small pictures cross; compiled in a moment. */
const TWIN_TILE = { tileM: 8, tileN: 8, tileK: 8, slices: 1, cell: { rows: 4, columns: 1 } };
const twin = winogradOf('winograd twin', () => [{ tile: TWIN_TILE, splits: 1 }]);

function problemOf(src: readonly number[], oc: number, extra: Partial<ConvRequest> = {}): ConvProblem {
  const fixed = { layout: 'nhwc4', epilogue: PLAIN_EPILOGUE, weightsConstant: true } as const;
  return makeConvProblem({ ...fixed, src, weights: [oc, src[1] ?? 0, 3, 3], pads: [1, 1, 1, 1], ...extra });
}

interface Run {
  readonly scratchBytes?: number;
  readonly workgroupLimit?: number;
}

function operandsOf({ batch, ic, ih, iw, oc, oh, ow, epilogue }: ConvProblem) {
  return {
    src: randomFill(batch * ic * ih * iw, 1),
    weights: randomFill(oc * ic * 9, 2),
    bias: epilogue.bias ? randomFill(oc, 3) : undefined,
    residual: epilogue.residual ? randomFill(batch * oc * oh * ow, 4) : undefined,
  };
}

async function runWinograd(problem: ConvProblem, entry: Algorithm<ConvProblem>, run: Run = {}) {
  const { capabilities } = await testDevice();
  const { workgroupLimit = capabilities.limits.maxComputeWorkgroupsPerDimension } = run;
  const limits = { ...capabilities.limits, maxComputeWorkgroupsPerDimension: workgroupLimit };
  const { scratchBytes } = run;
  const plan = entry.plan(problem, { ...capabilities, limits }, { mode: 'fast', scratchBytes });
  const { batch, ic, ih, iw } = problem;
  const dstDims = dims(problem);
  const { src, weights, bias, residual } = operandsOf(problem);
  return runInLayout(plan, {
    ...{ layout: problem.layout, dstDims },
    inputs: {
      src: { data: src, dims: [batch, ic, ih, iw] },
      ...(residual === undefined ? {} : { residual: { data: residual, dims: dstDims } }),
    },
    parameters: { weights, ...(bias === undefined ? {} : { bias }) },
  });
}

function dims({ batch, oc, oh, ow }: ConvProblem): readonly number[] {
  return [batch, oc, oh, ow];
}

async function check(problem: ConvProblem, entry: Algorithm<ConvProblem>): Promise<void> {
  const got = await runWinograd(problem, entry);
  const activationUlp = problem.epilogue.activation.length === 0 ? 0 : ACTIVATION_ULP;
  const tolerance = sumTolerance({ terms: convTerms(problem), activationUlp, transformed: true });
  expectWithin(got, referenceConv(problem, operandsOf(problem)), tolerance, dims(problem));
}

/** Channels are compiled into the products, a pipeline a pair: counts between the edges of tiles are left out. */
const CASES = CONV_CASES.map(({ name, request }) => ({
  name,
  problem: makeConvProblem({ ...request, layout: 'nhwc4' }),
}))
  .filter(({ name }) => !/^(channels (2|3|4|5|11|16|17|31|32|63|64) |VALID)/.test(name))
  .filter(({ problem }) => twin.impossible(problem, SOFTWARE) === undefined);

const WHOLE_EPILOGUE = { bias: true, residual: true, activation: [{ kind: 'relu' }] } as const;

/** Both sides of a tile's edges, and pads that are not those of a picture of the same size. */
const SIZES: readonly (readonly [name: string, problem: ConvProblem])[] = [
  ...(
    [
      [1, 1],
      [3, 3],
      [4, 4],
      [5, 7],
      [17, 9],
    ] as const
  ).map(([h, w]) => [`${h}x${w}`, problemOf([2, 5, h, w], 6, { epilogue: WHOLE_EPILOGUE })] as const),
  ['no pads', problemOf([1, 8, 11, 6], 8, { pads: [0, 0, 0, 0] })],
  ['asymmetric pads', problemOf([2, 7, 6, 9], 9, { pads: [0, 2, 3, 1] })],
  ['pads past a tile', problemOf([1, 4, 3, 2], 4, { pads: [6, 5, 7, 6] })],
];

describe('winograd', () => {
  it('takes cases of every kind', () => {
    expect(CASES.length).toBeGreaterThan(9);
  });

  test.each(CASES)('$name', ({ problem }) => check(problem, twin));
  test.each(SIZES)('%s', (_, problem) => check(problem, twin));

  test('the tile of small devices', () => check(problemOf([1, 20, 9, 6], 24), winograd));

  it('gives the same bits in chunks, and over folded grids', async () => {
    const problem = problemOf([3, 9, 10, 7], 11, { epilogue: WHOLE_EPILOGUE });
    const whole = await runWinograd(problem, twin);
    const { least } = convScratch(problem, SOFTWARE, { mode: 'fast', algorithm: 'winograd' });
    for (const scratchBytes of [least, 5 * least]) {
      expectExact(await runWinograd(problem, twin, { scratchBytes }), whole, dims(problem));
    }
    expectExact(await runWinograd(problem, twin, { workgroupLimit: 2 }), whole, dims(problem));
  });

  it('stays below 1e-5 over the channels of real layers', () => {
    for (const channels of [64, 128, 256, 512, 2048]) {
      expect(sumTolerance({ terms: 9 * channels, transformed: true })).toBeLessThan(1e-5);
    }
  });
});

describe('choice of winograd', () => {
  const chosen = (problem: ConvProblem, mode: 'fast' | 'deterministic' = 'fast'): string =>
    selectConv(problem, LARGE_HARDWARE, { mode }).algorithm;

  it('takes large pictures of many channels on hardware in fast mode', () => {
    const head = problemOf([1, 256, 128, 128], 64);
    expect(chosen(head)).toBe('winograd');
    expect(chosen(head, 'deterministic')).toBe('implicit-gemm');
    expect(chosen(problemOf([8, 256, 128, 128], 64))).toBe('winograd');
    expect(selectConv(head, SOFTWARE, { mode: 'fast' }).algorithm).toBe('register-tile');
    expect(chosen(problemOf([1, 64, 56, 56], 64))).not.toBe('winograd');
    expect(chosen(problemOf([8, 512, 7, 7], 512))).toBe('winograd');
    expect(chosen(problemOf([4, 512, 7, 7], 512))).not.toBe('winograd');
    expect(chosen(problemOf([8, 3, 224, 224], 64))).not.toBe('winograd');
  });

  it('leaves the shortcut of a residual block to a dispatch of its own where that pays', () => {
    const shortcut = { src: [8, 64, 128, 128], weights: [128, 64, 1, 1], strides: [2, 2] };
    const block = problemOf([8, 128, 64, 64], 128, { shortcut });
    expect(chosen(block)).toBe('separate');
    expect(chosen(block, 'deterministic')).toBe('implicit-gemm');
    const { plan } = selectConv(block, LARGE_HARDWARE, { mode: 'fast' });
    expect(plan.passes.some(({ label }) => label.startsWith('conv/winograd/'))).toBe(true);
    const small = problemOf([1, 128, 28, 28], 128, {
      shortcut: { src: [1, 64, 56, 56], weights: [128, 64, 1, 1], strides: [2, 2] },
    });
    expect(chosen(small)).not.toBe('separate');
  });

  it('is refused with the reason', () => {
    const refusal =
      (problem: ConvProblem, mode: 'fast' | 'deterministic' = 'fast') =>
      () =>
        selectConv(problem, LARGE_HARDWARE, { mode, algorithm: 'winograd' });
    const head = problemOf([1, 64, 28, 28], 64);
    expect(refusal(head)).not.toThrow();
    expect(refusal(head, 'deterministic')).toThrow('deterministic mode');
    expect(refusal({ ...head, weightsType: 'float16' })).toThrow('float16');
    expect(refusal({ ...head, strideH: 2 })).toThrow('strides');
    expect(refusal({ ...head, gate: true })).toThrow('gated');
    expect(refusal(problemOf([1, 4096, 28, 28], 4096))).toThrow('binding');
  });

  it('keeps its scratch within 64 MiB, in chunks of one length', () => {
    const { plan } = selectConv(problemOf([8, 256, 128, 128], 64), LARGE_HARDWARE, { mode: 'fast' });
    expect(plan.scratch.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(64 * 2 ** 20);
    expect(plan.passes.length % 3).toBe(0);
    const grids = plan.passes.map((pass) => pass.workgroups.join('x'));
    expect(new Set(grids.slice(0, -3)).size).toBeLessThanOrEqual(3);
  });

  it('compiles nothing for another batch or picture size', () => {
    const texts = (problem: ConvProblem): readonly string[] => [
      ...new Set(twin.plan(problem, LARGE_HARDWARE, { mode: 'fast' }).passes.map(({ wgsl }) => wgsl)),
    ];
    expect(texts(problemOf([8, 64, 131, 97], 64))).toEqual(texts(problemOf([1, 64, 9, 9], 64)));
  });

  it('compiles with the tiles of hardware', async () => {
    const { plan } = selectConv(problemOf([1, 256, 128, 128], 64), LARGE_HARDWARE, { mode: 'fast' });
    for (const pass of plan.passes.slice(0, 3)) expect(await compileModule(pass)).toEqual([]);
  });
});

describe('transformFilter', () => {
  it('makes the convolution of a line exact in float64', () => {
    // Outputs of a 3x3 filter of ones over a tile of ones are 9, whatever the points.
    const products = new Float32Array(36);
    transformFilter(new Float32Array(9).fill(1), 0, { target: products, step: 1 }, 0);
    expect(products[0]).toBe(1);
    expect(products[35]).toBe(1);
    expect(products[7]).toBeCloseTo(((2 / 3) * (1.5 + Math.SQRT1_2)) ** 2, 6);
  });
});
