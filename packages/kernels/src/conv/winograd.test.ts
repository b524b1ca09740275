import { DEFAULT_LIMITS, defaultCapabilities } from '@onegpu/core';
import {
  compileModule,
  expectEqual,
  expectExact,
  expectWithin,
  integerFill,
  randomFill,
  scaledError,
  testDevice,
} from '@onegpu/testing';
import { describe, expect, it, test } from 'vitest';
import { runInLayout } from '../../test/run-in-layout.ts';
import { referenceConv } from '../reference/conv.ts';
import { ACTIVATION_ULP } from '../shared/activation.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import { PLAIN_EPILOGUE } from '../shared/epilogue.ts';
import { sumScale, sumTolerance } from '../shared/tolerance.ts';
import { CONV_CASES } from './cases.ts';
import { type ConvProblem, type ConvRequest, convTerms, makeConvProblem } from './problem.ts';
import { convScratch, selectConv } from './select.ts';
import { winograd, winograd2x2, winogradOf } from './winograd.ts';
import { WINOGRAD_2X2, WINOGRAD_4X4 } from './winograd-transforms.ts';

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
const twinRule = () => [{ tile: TWIN_TILE, splits: 1 }];
const twin = winogradOf('winograd twin', WINOGRAD_4X4, twinRule);
const twin2x2 = winogradOf('winograd-2x2 twin', WINOGRAD_2X2, twinRule);
const VARIANTS = [
  { name: '4x4', entry: winograd, small: twin },
  { name: '2x2', entry: winograd2x2, small: twin2x2 },
];

function problemOf(src: readonly number[], oc: number, extra: Partial<ConvRequest> = {}): ConvProblem {
  const fixed = { layout: 'nhwc4', epilogue: PLAIN_EPILOGUE, weightsConstant: true } as const;
  return makeConvProblem({ ...fixed, src, weights: [oc, src[1] ?? 0, 3, 3], pads: [1, 1, 1, 1], ...extra });
}

interface Run {
  readonly scratchBytes?: number;
  readonly workgroupLimit?: number;
  readonly operands?: Operands;
}

type Operands = ReturnType<typeof operandsOf>;

function operandsOf({ batch, ic, ih, iw, oc, oh, ow, epilogue }: ConvProblem, fill = randomFill) {
  return {
    src: fill(batch * ic * ih * iw, 1),
    weights: fill(oc * ic * 9, 2),
    bias: epilogue.bias ? fill(oc, 3) : undefined,
    residual: epilogue.residual ? fill(batch * oc * oh * ow, 4) : undefined,
  };
}

async function runWinograd(
  problem: ConvProblem,
  entry: Algorithm<ConvProblem>,
  { scratchBytes, workgroupLimit, operands = operandsOf(problem) }: Run = {},
) {
  const { capabilities } = await testDevice();
  const most = workgroupLimit ?? capabilities.limits.maxComputeWorkgroupsPerDimension;
  const limits = { ...capabilities.limits, maxComputeWorkgroupsPerDimension: most };
  const plan = entry.plan(problem, { ...capabilities, limits }, { mode: 'fast', scratchBytes });
  const { batch, ic, ih, iw } = problem;
  const dstDims = dims(problem);
  const { src, weights, bias, residual } = operands;
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
  const tolerance = sumTolerance({ terms: convTerms(problem), activationUlp, ...entry.bound });
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

describe.each(VARIANTS)('winograd $name', ({ entry, small }) => {
  it('takes cases of every kind', () => {
    expect(CASES.length).toBeGreaterThan(9);
  });

  test.each(CASES)('$name', ({ problem }) => check(problem, small));
  test.each(SIZES)('%s', (_, problem) => check(problem, small));

  test('the tile of small devices', () => check(problemOf([1, 20, 9, 6], 24), entry));

  it('gives the same bits in chunks, and over folded grids', async () => {
    const problem = problemOf([3, 9, 10, 7], 11, { epilogue: WHOLE_EPILOGUE });
    const whole = await runWinograd(problem, small);
    const { least } = convScratch(problem, SOFTWARE, { mode: 'fast', algorithm: entry.name });
    for (const scratchBytes of [least, 5 * least]) {
      expectExact(await runWinograd(problem, small, { scratchBytes }), whole, dims(problem));
    }
    expectExact(await runWinograd(problem, small, { workgroupLimit: 2 }), whole, dims(problem));
  });

  it('compiles nothing for another batch or picture size', () => {
    const texts = (problem: ConvProblem): readonly string[] => [
      ...new Set(small.plan(problem, LARGE_HARDWARE, { mode: 'fast' }).passes.map(({ wgsl }) => wgsl)),
    ];
    expect(texts(problemOf([8, 64, 131, 97], 64))).toEqual(texts(problemOf([1, 64, 9, 9], 64)));
  });

  it('compiles with the tiles of hardware', async () => {
    const plan = entry.plan(problemOf([1, 256, 128, 128], 64), LARGE_HARDWARE, { mode: 'fast' });
    for (const pass of plan.passes.slice(0, 3)) expect(await compileModule(pass)).toEqual([]);
  });
});

/** Operands in which errors of sums and of transforms show most. */
const HARD: Readonly<Record<string, (problem: ConvProblem) => Operands>> = {
  'random numbers': (problem) => operandsOf(problem),
  'positive numbers': (problem) => operandsOf(problem, (length, seed) => randomFill(length, seed, 0, 1)),
  'channels that cancel': (problem) => {
    // Every second channel is the one before it, nearly, times its filter's negative.
    const { src, weights, ...rest } = operandsOf(problem);
    const pixels = problem.ih * problem.iw;
    const copied = src.map((value, at) =>
      Math.floor(at / pixels) % 2 === 0 ? value : (src[at - pixels] ?? 0) + value / 16,
    );
    const negated = weights.map((value, at) =>
      Math.floor(at / 9) % 2 === 0 ? value : -(weights[at - 9] ?? 0),
    );
    return { ...rest, src: copied, weights: negated };
  },
  'tiles that cancel': (problem) => {
    // Sources of signs ++-- along both axes under filters 1, -1, 0: products far larger than outputs.
    const { src, weights, ...rest } = operandsOf(problem);
    const { ih, iw } = problem;
    const sign = (place: number): number => ((place + 1) % 4 < 2 ? 1 : -1);
    const signed = src.map((v, at) => Math.abs(v) * sign(at % iw) * sign(Math.floor(at / iw) % ih));
    const filter = [1, -1, 0];
    const filters = weights.map((_, at) => {
      const [tap, first] = [at % 9, at - (at % 9)];
      return (weights[first] ?? 0) * (filter[tap % 3] ?? 0) * (filter[Math.floor(tap / 3)] ?? 0);
    });
    return { ...rest, src: signed, weights: filters };
  },
};

const smallIntegers: typeof randomFill = (length, seed) => integerFill(length, seed, -3, 3);

describe('winograd-2x2, for deterministic mode', () => {
  it('gives small integers bit for bit', async () => {
    const problem = problemOf([2, 130, 7, 9], 10, { epilogue: WHOLE_EPILOGUE });
    const operands = operandsOf(problem, smallIntegers);
    const expected = referenceConv(problem, operands);
    expectEqual(await runWinograd(problem, twin2x2, { operands }), expected, dims(problem));
  });

  test.each(
    Object.entries(HARD).flatMap(([name, operands]) =>
      [64, 128, 256, 512].map((channels) => [name, channels, operands] as const),
    ),
  )('%s of %i channels', async (_, channels, operandsOfProblem) => {
    const problem = problemOf([1, channels, 14, 14], 16);
    const operands = operandsOfProblem(problem);
    const expected = referenceConv(problem, operands);
    const squares = referenceConv(problem, {
      ...{ bias: undefined, residual: undefined },
      ...{ src: operands.src.map((v) => v ** 2), weights: operands.weights.map((v) => v ** 2) },
    });
    const largest = Math.max(...expected.map(Math.abs));
    const scale = sumScale(largest, Math.sqrt(Math.max(...squares))) / largest;
    const got = await runWinograd(problem, twin2x2, { operands });
    const bound = sumTolerance({ terms: convTerms(problem), ...twin2x2.bound });
    expectWithin(got, expected, bound * scale, dims(problem));
    // What deterministic mode promises of convolutions, see docs/numerics.md.
    expect(scaledError(got, expected) / scale).toBeLessThan(1e-6);
  });

  it('stays below the bounds of layers', () => {
    for (const channels of [64, 128, 256, 512, 2048]) {
      expect(sumTolerance({ terms: 9 * channels, transformed: 4 })).toBeLessThan(1e-5);
      expect(sumTolerance({ terms: 9 * channels, transformed: 2 })).toBeLessThan(2e-6);
    }
  });
});

describe('choice of winograd', () => {
  const chosen = (problem: ConvProblem, mode: 'fast' | 'deterministic' = 'fast'): string =>
    selectConv(problem, LARGE_HARDWARE, { mode }).algorithm;

  it('takes large pictures of many channels on hardware in fast mode', () => {
    const head = problemOf([1, 256, 128, 128], 64);
    expect(chosen(head)).toBe('winograd');
    expect(chosen(head, 'deterministic')).toBe('winograd-2x2');
    expect(chosen(problemOf([8, 256, 128, 128], 64), 'deterministic')).toBe('winograd-2x2');
    expect(chosen(problemOf([8, 64, 128, 128], 64), 'deterministic')).toBe('implicit-gemm');
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
    expect(chosen(block, 'deterministic')).toBe('separate');
    for (const [mode, name] of [
      ['fast', 'winograd'],
      ['deterministic', 'winograd-2x2'],
    ] as const) {
      const { plan } = selectConv(block, LARGE_HARDWARE, { mode });
      expect(plan.passes.some(({ label }) => label.startsWith(`conv/${name}/`))).toBe(true);
    }
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

  it('takes the variant of the better estimate, and says what the other one would take', () => {
    const refusedOf = (problem: ConvProblem, mode: 'fast' | 'deterministic' = 'fast') =>
      new Map(
        selectConv(problem, LARGE_HARDWARE, { mode }).refused.map((entry) => [entry.algorithm, entry.reason]),
      );
    const small = problemOf([4, 512, 7, 7], 512);
    expect(chosen(small)).toBe('winograd-2x2');
    expect(refusedOf(small).get('winograd')).toBe('16 tiles of 4x4 outputs do not fill its products');
    const even = problemOf([8, 512, 6, 6], 512);
    expect(chosen(even)).toBe('winograd-2x2');
    expect(refusedOf(even).get('winograd')).toMatch(/^estimated at \d+ us, tiles of 2x2 outputs at \d+ us$/);
    const thin = problemOf([8, 64, 128, 128], 64);
    expect(refusedOf(thin, 'deterministic').get('winograd-2x2')).toMatch(/an implicit GEMM at \d+ us$/);
  });

  it('never offers F(4x4) to deterministic mode', () => {
    for (const problem of [problemOf([8, 256, 128, 128], 64), problemOf([8, 512, 7, 7], 512)]) {
      const { refused } = selectConv(problem, LARGE_HARDWARE, { mode: 'deterministic' });
      expect(refused.find(({ algorithm }) => algorithm === 'winograd')?.reason).toContain(
        'deterministic mode',
      );
    }
  });

  it('keeps its scratch within 64 MiB, in chunks of one length', () => {
    const { plan } = selectConv(problemOf([8, 256, 128, 128], 64), LARGE_HARDWARE, { mode: 'fast' });
    expect(plan.scratch.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(64 * 2 ** 20);
    expect(plan.passes.length % 3).toBe(0);
    const grids = plan.passes.map((pass) => pass.workgroups.join('x'));
    expect(new Set(grids.slice(0, -3)).size).toBeLessThanOrEqual(3);
  });
});
