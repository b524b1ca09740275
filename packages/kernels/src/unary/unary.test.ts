/** Unary kernels on the GPU: exact on integers in every layout, and every function within its promise in ulp. */
import { DEFAULT_LIMITS, defaultCapabilities } from '@onegpu/core';
import { expectEqual, integerFill, runPlan, seededRandom, testDevice } from '@onegpu/testing';
import { describe, expect, test } from 'vitest';
import { applyActivation } from '../reference/activation.ts';
import { ACTIVATION_ULP, type Activation, activationLabel, activationWgsl } from '../shared/activation.ts';
import { layoutElements, packNhwc4 } from '../shared/layout.ts';
import { makeUnaryProblem, selectUnary, UNARY_CASES, UNARY_FUNCTIONS } from './index.ts';

const OPTIONS = { mode: 'deterministic' } as const;
/**
 * Below this size errors are absolute: a factor of the result may be subnormal and flush to zero, which WGSL allows.
 * With factors of up to 104 (silu near the underflow of exp) that loses up to 2^-119, eight units of 2^-122.
 */
const SMALL = 2 ** -119;
const SMALL_UNIT = 2 ** -122;

/** Every binade of both signs, the ranges functions care about, and the edges of overflow. */
function sweep(): Float32Array {
  const random = seededRandom(5);
  const bits = Uint32Array.from({ length: 4000 }, () => Math.floor(random() * 2 ** 32));
  const anywhere = [...new Float32Array(bits.buffer)].filter((x) => !Number.isNaN(x));
  const within = (count: number, reach: number): number[] =>
    Array.from({ length: count }, () => (random() - 0.5) * 2 * reach);
  const edges = [0, -0, 0.5, 1.5, 2.5, 88.72, 88.73, 103, Number.POSITIVE_INFINITY, 3.4028234663852886e38];
  const values = [...anywhere, ...within(3000, 10), ...within(2000, 110), ...within(2000, 1), ...edges];
  return Float32Array.from([...values, ...edges.map((x) => -x)]);
}

/** Distance in ulp of `expected`, or in units of 2^-122 near zero; 0 for the same special value. */
function distance(actual: number, expected: number): number {
  const rounded = Math.fround(expected);
  if (Object.is(actual, rounded) || actual === rounded) return 0;
  if (Number.isNaN(rounded)) return Number.isNaN(actual) ? 0 : Number.POSITIVE_INFINITY;
  const size = Math.abs(expected);
  if (size < SMALL) return Math.abs(actual - expected) / SMALL_UNIT;
  // An infinite result counts as 2^128: rounding up at the edge of the range is an error like any other.
  const finite = Math.max(-(2 ** 128), Math.min(2 ** 128, actual));
  return Math.abs(finite - expected) / 2 ** (Math.floor(Math.log2(size)) - 23);
}

describe.each(UNARY_FUNCTIONS.map((step) => [JSON.stringify(step), step] as const))('%s', (_, step) => {
  test(`is within ${ACTIVATION_ULP} ulp over all of float32`, async () => {
    const src = sweep();
    const problem = makeUnaryProblem({ dims: [src.length], layout: 'nchw', activation: [step] });
    const device = await testDevice();
    const { plan } = selectUnary(problem, device.capabilities, OPTIONS);
    const { dst } = await runPlan(device, plan, { inputs: { src }, outputs: { dst: src.length } });
    const failures: string[] = [];
    src.forEach((x, index) => {
      if (x !== 0 && Math.abs(x) < SMALL) return;
      const expected = applyActivation([step], x);
      const error = distance(dst[index] ?? 0, expected);
      if (error > ulpAllowed(step))
        failures.push(`f(${x}) = ${dst[index]}, expected ${expected}: ${error} ulp`);
    });
    expect(failures.slice(0, 5).join('\n')).toBe('');
  });
});

/** Steps with a free sum cancel where the sum nears zero: their error counts against the terms, not the sum. */
function ulpAllowed(step: Activation): number {
  return step.kind === 'affine' || step.kind === 'hard-sigmoid' || step.kind === 'shrink'
    ? 2 ** 24
    : ACTIVATION_ULP;
}

describe.each(UNARY_CASES.map((entry) => [entry.name, entry.problem] as const))('%s', (_, problem) => {
  test('equals the reference on integers', async () => {
    const device = await testDevice();
    const count = problem.dims.reduce((product, extent) => product * extent, 1);
    const dense = integerFill(count, 3);
    const pack = (data: Float32Array): Float32Array =>
      problem.layout === 'nhwc4' ? packNhwc4(data, problem.dims) : data;
    const { plan } = selectUnary(problem, device.capabilities, OPTIONS);
    const { dst } = await runPlan(device, plan, {
      inputs: { src: pack(dense) },
      outputs: { dst: layoutElements(problem.dims, problem.layout) },
    });
    const expected = pack(dense.map((x) => applyActivation(problem.activation, x)));
    expectEqual(dst, expected, [expected.length]);
  });
});

test('vec4f text holds the same functions as f32 text', () => {
  for (const step of UNARY_FUNCTIONS) {
    const scalar = activationWgsl([step], 'f32');
    expect(activationWgsl([step], 'vec4f').startsWith(scalar.slice(0, scalar.indexOf('fn activate')))).toBe(
      true,
    );
  }
  expect(activationLabel([{ kind: 'relu' }, { kind: 'gelu-tanh' }])).toBe('relu+gelu-tanh');
});

test('a second picture size compiles nothing and a lower grid limit folds', async () => {
  const make = (height: number) =>
    makeUnaryProblem({ dims: [1, 6, height, 70], layout: 'nhwc4', activation: [{ kind: 'sigmoid' }] });
  const target = defaultCapabilities({ limits: { ...DEFAULT_LIMITS, maxComputeWorkgroupsPerDimension: 3 } });
  const first = selectUnary(make(5), target, OPTIONS).plan.passes[0];
  const second = selectUnary(make(50), target, OPTIONS).plan.passes[0];
  expect(first?.wgsl).toBe(second?.wgsl);
  expect(second?.workgroups[1]).toBeGreaterThan(1);
  const device = await testDevice();
  const problem = make(50);
  const src = packNhwc4(integerFill(6 * 50 * 70, 1), problem.dims);
  const plan = selectUnary({ ...problem, activation: [{ kind: 'abs' }] }, target, OPTIONS).plan;
  const { dst } = await runPlan(device, plan, { inputs: { src }, outputs: { dst: src.length } });
  expectEqual(dst, src.map(Math.abs), [src.length]);
});
