import { DEFAULT_LIMITS, defaultCapabilities, GpuKernelShapeError } from '@onegpu/core';
import { describe, expect, it, test } from 'vitest';
import { PLAIN_EPILOGUE } from '../shared/epilogue.ts';
import { type ConvRequest, makeConvProblem } from './problem.ts';
import { convAlgorithms, convScratch, describeVariant, selectConv } from './select.ts';

const SOFTWARE = defaultCapabilities({ software: true });
const HARDWARE = defaultCapabilities();
const LARGE_HARDWARE = defaultCapabilities({
  limits: {
    ...DEFAULT_LIMITS,
    maxComputeWorkgroupStorageSize: 49152,
    maxComputeInvocationsPerWorkgroup: 1024,
    maxComputeWorkgroupSizeX: 1024,
  },
});

function problemOf(src: readonly number[], weights: readonly number[], extra: Partial<ConvRequest> = {}) {
  const fixed = { layout: 'nhwc4', epilogue: PLAIN_EPILOGUE, weightsConstant: true } as const;
  return makeConvProblem({ src, weights, ...fixed, ...extra });
}

const PADS = { pads: [1, 1, 1, 1] };

describe('choice', () => {
  const chosen = (problem: ReturnType<typeof problemOf>, target = SOFTWARE): string =>
    describeVariant(problem, target, { mode: 'fast' }).algorithm;

  it('prefers kernels without barriers on software adapters', () => {
    expect(chosen(problemOf([1, 64, 28, 28], [64, 64, 3, 3], PADS))).toBe('register-tile');
    expect(chosen(problemOf([1, 64, 28, 28], [64, 1, 3, 3], { groups: 64, ...PADS }))).toBe('depthwise');
    expect(chosen(problemOf([1, 120, 1, 1], [32, 120, 1, 1]))).toBe('single-pixel');
    expect(chosen(problemOf([1, 6, 9, 9], [9, 2, 3, 3], { groups: 3 }))).toBe('direct');
    expect(chosen(problemOf([1, 6, 9, 9], [9, 6, 3, 3], { layout: 'nchw' }))).toBe('register-tile');
    expect(chosen(problemOf([1, 6, 9, 9], [9, 6, 3, 3], { layout: 'nchw' }), HARDWARE)).toBe('register-tile');
  });

  it('slices and splits k on hardware where output tiles are few', () => {
    const label = (problem: ReturnType<typeof problemOf>): string =>
      describeVariant(problem, LARGE_HARDWARE, { mode: 'deterministic' }).label;
    const many = problemOf([8, 64, 128, 128], [64, 64, 3, 3], PADS);
    expect(label(many)).toMatch(/^conv\/implicit-gemm\/f32\/(64x64|64x128)x16\/8x[48]$/);
    expect(label(problemOf([8, 256, 128, 128], [64, 256, 3, 3], PADS))).toMatch(/^conv\/winograd-2x2\//);
    expect(label(problemOf([1, 64, 28, 28], [64, 64, 1, 1]))).toMatch(/^conv\/implicit-gemm\/.*s\d$/);
    expect(label(problemOf([1, 512, 7, 7], [512, 512, 3, 3], PADS))).toMatch(/^conv\/split-k\/.*z\d+$/);
  });

  it('makes larger patches of depthwise outputs where there are many', () => {
    const label = (batch: number, side: number, stride = 1): string =>
      describeVariant(
        problemOf([batch, 64, side, side], [64, 1, 3, 3], { groups: 64, strides: [stride, stride], ...PADS }),
        HARDWARE,
        { mode: 'fast' },
      ).label;
    expect(label(1, 160)).toBe('conv/depthwise-patch/f32/3x3/4x2');
    expect(label(2, 160, 2)).toBe('conv/depthwise-patch/f32/3x3/4x1');
    expect(label(1, 56)).toBe('conv/depthwise-patch/f32/3x3/2x1');
    expect(label(1, 7)).toBe('conv/depthwise-patch/f32/3x3/1x1');
    expect(label(200, 7)).toBe('conv/depthwise-patch/f32/3x3/4x2');
  });

  it('takes the configuration it is told', () => {
    const problem = problemOf([1, 64, 28, 28], [64, 64, 3, 3], PADS);
    const planned = (configuration: string) =>
      selectConv(problem, LARGE_HARDWARE, { mode: 'fast', algorithm: 'implicit-gemm', configuration }).plan;
    expect(planned('64x32x16/8x4s2').label).toBe('conv/implicit-gemm/f32/64x32x16/8x4s2');
    for (const wrong of ['64x32x16/8x4z2', '64x32x16/7x4', '512x512x64/8x8', 'fast']) {
      expect(() => planned(wrong), wrong).toThrow(GpuKernelShapeError);
    }
  });

  it('keeps the reasons of the refused and names the variant', () => {
    const variant = describeVariant(problemOf([1, 8, 9, 9], [8, 8, 3, 3], PADS), SOFTWARE, { mode: 'fast' });
    expect(variant.label).toBe('conv/register-tile/f32/8x8');
    expect(variant.refused.map((entry) => entry.algorithm)).toEqual([
      'depthwise-patch',
      'depthwise',
      'single-pixel',
    ]);
  });

  it('says what scratch a variant needs', () => {
    const problem = problemOf([3, 512, 7, 7], [512, 512, 3, 3], PADS);
    expect(convScratch(problem, SOFTWARE, { mode: 'fast' })).toEqual({
      ...{ algorithm: 'register-tile', batch: 0, image: 0, least: 0 },
    });
    const split = convScratch(problem, HARDWARE, { mode: 'fast', algorithm: 'split-k' });
    const { label } = selectConv(problem, HARDWARE, { mode: 'fast', algorithm: 'split-k' }).plan;
    const scratchOf = (pixel: number) => ({ batch: 3 * 49 * pixel, image: 49 * pixel, least: pixel });
    const splits = Number(/z(\d+)$/.exec(label)?.[1]);
    expect(split).toEqual({ algorithm: 'split-k', ...scratchOf(splits * 512 * 4) });
    const columns = convScratch(problem, SOFTWARE, { mode: 'fast', algorithm: 'im2col' });
    expect(columns).toEqual({ algorithm: 'im2col', ...scratchOf(9 * 512 * 4) });
  });

  test.each(['split-k', 'im2col'])('%s keeps tile and split with less scratch', (algorithm) => {
    const problem = problemOf([3, 512, 7, 7], [512, 512, 3, 3], PADS);
    const planned = (scratchBytes?: number) =>
      selectConv(problem, HARDWARE, { mode: 'fast', algorithm, scratchBytes }).plan;
    const whole = planned();
    const { least } = convScratch(problem, HARDWARE, { mode: 'fast', algorithm });
    const smaller = planned(10 * least + 5);
    expect(smaller.scratch).toEqual([{ operand: 'scratch', bytes: 10 * least, least }]);
    expect(smaller.label).toBe(whole.label);
    expect(smaller.passes).toHaveLength(2 * Math.ceil((3 * 49) / 10));
    expect(planned(2 ** 30).passes).toEqual(whole.passes);
    expect(() => planned(least - 1)).toThrow(GpuKernelShapeError);
    expect(() => planned(least - 1)).toThrow(`expected at least ${least}`);
  });

  it('refuses an algorithm that cannot take the problem, with its reason', () => {
    const problem = problemOf([1, 6, 9, 9], [9, 2, 3, 3], { groups: 3 });
    const forced = (): unknown => selectConv(problem, SOFTWARE, { mode: 'fast', algorithm: 'implicit-gemm' });
    expect(forced).toThrow(GpuKernelShapeError);
    expect(forced).toThrow('3 groups');
  });
});

describe('a second picture size', () => {
  const attributes = { strides: [2, 2], autoPad: 'SAME_UPPER' } as const;
  const dense = (batch: number, size: number) =>
    problemOf([batch, 20, size, size + 3], [24, 20, 3, 3], attributes);
  const single = (batch: number, size: number) =>
    problemOf([batch, 12, size, size + 3], [12, 1, 3, 3], { groups: 12, ...attributes });

  test.each(convAlgorithms.map((entry) => [entry.name, entry] as const))(
    '%s compiles nothing',
    (name, entry) => {
      const make = name.startsWith('depthwise') ? single : dense;
      const texts = [make(1, 31), make(3, 64)].map((problem) => {
        const { passes } = entry.plan(problem, SOFTWARE, { mode: 'fast' });
        return passes.map((pass) => pass.wgsl);
      });
      expect(texts[1]).toEqual(texts[0]);
    },
  );
});

describe('on software adapters layers share pipelines', () => {
  const textOf = (problem: ReturnType<typeof problemOf>, algorithm: string): string[] =>
    selectConv(problem, SOFTWARE, { mode: 'fast', algorithm }).plan.passes.map((pass) => pass.wgsl);
  const affine = (scale: number): Partial<ConvRequest> => ({
    epilogue: { bias: true, residual: false, activation: [{ kind: 'affine', scale, shift: scale + 1 }] },
  });

  test.each(['register-tile', 'single-pixel'])('%s: other channels and windows', (algorithm) => {
    const narrow = problemOf([1, 20, 9, 9], [32, 20, 1, 1]);
    const wide = problemOf([1, 300, 9, 9], [48, 300, 3, 3], { strides: [2, 2], dilations: [2, 2], ...PADS });
    expect(textOf(wide, algorithm)).toEqual(textOf(narrow, algorithm));
  });

  test('register-tile: other groups', () => {
    const two = problemOf([1, 32, 9, 9], [32, 16, 1, 1], { groups: 2 });
    const one = problemOf([1, 20, 9, 9], [32, 20, 1, 1]);
    expect(textOf(two, 'register-tile')).toEqual(textOf(one, 'register-tile'));
  });

  test('depthwise: other channels, line strides and pads', () => {
    const narrow = problemOf([1, 7, 9, 9], [7, 1, 3, 3], { groups: 7, ...PADS });
    const wide = problemOf([1, 64, 9, 9], [64, 1, 3, 3], { groups: 64, strides: [2, 1] });
    expect(textOf(wide, 'depthwise')).toEqual(textOf(narrow, 'depthwise'));
  });

  test('depthwise-patch: other channels and pads', () => {
    const narrow = problemOf([1, 7, 9, 9], [7, 1, 3, 3], { groups: 7, ...PADS });
    const wide = problemOf([1, 64, 9, 9], [64, 1, 3, 3], { groups: 64 });
    expect(textOf(wide, 'depthwise-patch')).toEqual(textOf(narrow, 'depthwise-patch'));
  });

  test('other constants of an affine step', () => {
    const first = problemOf([1, 20, 9, 9], [32, 20, 1, 1], affine(2));
    const second = problemOf([1, 20, 9, 9], [32, 20, 1, 1], affine(3));
    for (const { name } of convAlgorithms.filter(
      (entry) => entry.impossible(first, SOFTWARE) === undefined,
    )) {
      expect(textOf(second, name)).toEqual(textOf(first, name));
    }
    const { tables } = selectConv(second, SOFTWARE, { mode: 'fast' }).plan;
    expect(tables).toEqual([{ operand: 'constants', data: Float32Array.of(3, 4) }]);
  });

  test('register-tile: with and without bias', () => {
    const plain = problemOf([1, 20, 9, 9], [32, 20, 1, 1]);
    const biased = problemOf([1, 20, 9, 9], [32, 20, 1, 1], {
      epilogue: { bias: true, residual: false, activation: [] },
    });
    expect(textOf(plain, 'register-tile')).toEqual(textOf(biased, 'register-tile'));
  });
});

describe('makeConvProblem', () => {
  it('names the field that does not fit', () => {
    expect(() => problemOf([1, 6, 9, 9], [8, 5, 3, 3])).toThrow('Conv.weights');
    expect(() => problemOf([1, 6, 9, 9], [8, 3, 3, 3], { groups: 4 })).toThrow('Conv.weights');
    expect(() => problemOf([1, 6, 9, 9], [9, 3, 3, 3], { groups: 2 })).toThrow('multiple of group');
    expect(() => problemOf([1, 6, 9, 9, 9], [8, 6, 3, 3, 3])).toThrow('Conv.rank');
    expect(() => problemOf([1, 6, 9, 9], [8, 6, 3])).toThrow('weights rank');
  });
});
