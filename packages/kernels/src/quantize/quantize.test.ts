/** Quantisation both ways and dynamic, bit for bit against the host. */
import {
  defaultCapabilities,
  type GpuElementType,
  GpuKernelShapeError,
  type OperandArray,
  storeNarrow,
} from '@onegpu/core';
import { expectExact, integerFill, randomFill, runPlan, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { referenceDequantize, referenceDynamicQuantize, referenceQuantize } from '../reference/quantize.ts';
import { elementCount, layoutElements, packNhwc4 } from '../shared/layout.ts';
import { quantizedRange } from '../shared/quantized-type.ts';
import { DEQUANTIZE_CASES, QUANTIZE_CASES } from './cases.ts';
import { planDynamicQuantize } from './dynamic.ts';
import { makeDequantizeProblem, makeQuantizeProblem, type QuantizeProblem } from './problem.ts';
import { DEQUANTIZE_ALGORITHMS, planDequantize, planQuantize, QUANTIZE_ALGORITHMS } from './select.ts';

const ARRAYS = {
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
};

function zeroPoints(type: keyof typeof ARRAYS, count: number): OperandArray {
  if (type === 'int32') return new Int32Array(count);
  const [low, high] = quantizedRange(type);
  const middle = (low + high + 1) / 2;
  return ARRAYS[type].from(integerFill(count, 5, middle - 90, middle + 90));
}

async function quantize(problem: QuantizeProblem, algorithm: string, src: OperandArray, scale: Float32Array) {
  const device = await testDevice();
  const { dims, layout, dst } = problem;
  const zeroPoint = problem.zeroPoint ? zeroPoints(dst, scale.length) : undefined;
  const { plan } = planQuantize(problem, device.capabilities, { mode: 'fast', algorithm });
  const types: Record<string, GpuElementType> = { dst, zeroPoint: dst };
  const stored = layout === 'nhwc4' ? packNhwc4(src, dims) : src;
  const results = await runPlan(device, storeNarrow(plan, types, device.capabilities), {
    inputs: { src: stored, scale, ...(zeroPoint === undefined ? {} : { zeroPoint }) },
    outputs: { dst: { type: dst, length: layoutElements(dims, layout) } },
  });
  const expected = ARRAYS[dst].from(referenceQuantize(problem, { src, scale, zeroPoint }));
  const dense = layout === 'nhwc4' ? packNhwc4<OperandArray>(expected, dims) : expected;
  expectExact(results.dst, dense, [dense.length]);
}

describe.each(QUANTIZE_ALGORITHMS.map((entry) => entry.name))('quantize/%s', (algorithm) => {
  it.each(QUANTIZE_CASES)('$name', async ({ problem }) => {
    const count = elementCount(problem.dims);
    const scales = elementCount(problem.scaleDims);
    // Multiples of a half: every quotient by a power of two is a whole number or a tie.
    const halves = integerFill(count, 1, -600, 600).map((value) => value / 2);
    const whole = problem.src === 'int32';
    await quantize(
      problem,
      algorithm,
      whole ? Int32Array.from(halves) : halves,
      new Float32Array(scales).fill(0.5),
    );
    await quantize(
      problem,
      algorithm,
      whole ? Int32Array.from(halves) : halves,
      new Float32Array(scales).fill(1),
    );
    const src = randomFill(count, 2, -30, 30);
    const scale = randomFill(scales, 3, 0.01, 0.3);
    await quantize(problem, algorithm, whole ? Int32Array.from(src) : src, scale);
  });
});

describe.each(DEQUANTIZE_ALGORITHMS.map((entry) => entry.name))('dequantize/%s', (algorithm) => {
  it.each(DEQUANTIZE_CASES)('$name', async ({ problem }) => {
    const device = await testDevice();
    const { dims, layout, src: type } = problem;
    const [low, high] = type === 'int32' ? [-(2 ** 31), 2 ** 31 - 1] : quantizedRange(type);
    const src: OperandArray = ARRAYS[type].from(integerFill(elementCount(dims), 1, low, high));
    const scale = randomFill(elementCount(problem.scaleDims), 2, -0.3, 0.3);
    const zeroPoint = problem.zeroPoint ? zeroPoints(type, scale.length) : undefined;
    const { plan } = planDequantize(problem, device.capabilities, { mode: 'fast', algorithm });
    const narrow = storeNarrow(plan, { src: type, zeroPoint: type }, device.capabilities);
    const { dst } = await runPlan(device, narrow, {
      inputs: {
        src: layout === 'nhwc4' ? packNhwc4(src, dims) : src,
        scale,
        ...(zeroPoint === undefined ? {} : { zeroPoint }),
      },
      outputs: { dst: layoutElements(dims, layout) },
    });
    const expected = Float32Array.from(referenceDequantize(problem, { src, scale, zeroPoint }));
    const dense = layout === 'nhwc4' ? packNhwc4(expected, dims) : expected;
    expectExact(dst, dense, [dense.length]);
  });
});

describe('quotients', () => {
  it('are rounded to float32 before they become whole', async () => {
    // Neighbours of k + 1/2 times the scale, for scales that no quotient of theirs is exact with.
    const scale = Math.fround(0.1);
    const near = Array.from({ length: 200 }, (_, k) => {
      const middle = Math.fround((k - 100.5) * scale);
      return [middle, Math.fround(middle * (1 + 2 ** -23)), Math.fround(middle * (1 - 2 ** -23))];
    });
    const src = Float32Array.from(near.flat());
    const problem = makeQuantizeProblem({ dims: [src.length], scaleDims: [], dst: 'int16' });
    await quantize(problem, 'direct', src, Float32Array.of(scale));
  });

  it('saturate at infinity, and denormals count', async () => {
    const src = Float32Array.of(Infinity, -Infinity, 1e38, -1e38, NaN, 3e-45, -0, 0, 1e-40, -1e-40);
    const problem = makeQuantizeProblem({ dims: [src.length], scaleDims: [], dst: 'int8' });
    await quantize(problem, 'direct', src, Float32Array.of(0.5));
    await quantize(problem, 'direct', src, Float32Array.of(1e-42));
    await quantize(problem, 'direct', src, Float32Array.of(1e-5));
  });

  it('over a scale of zero end where IEEE 754 says', async () => {
    const src = Float32Array.of(2, -2, 0, -0, NaN, Infinity, -Infinity, 1e-45, -1e-45);
    for (const dst of ['int8', 'uint8', 'int16'] as const) {
      const problem = makeQuantizeProblem({ dims: [src.length], scaleDims: [], dst, zeroPoint: true });
      for (const scale of [0, -0]) await quantize(problem, 'direct', src, Float32Array.of(scale));
    }
  });
});

describe('dynamic quantization', () => {
  const rows: readonly (readonly [string, Float32Array])[] = [
    ['both signs', randomFill(611, 1, -3, 5)],
    ['above zero', randomFill(97, 2, 1, 4)],
    ['below zero', randomFill(97, 3, -4, -1)],
    ['zeros', new Float32Array(7)],
    ['a NaN', Float32Array.of(1, NaN, -2)],
    ['an infinity', Float32Array.of(1, Infinity, -2)],
  ];
  it.each(rows)('%s', async (_, src) => {
    const device = await testDevice();
    const plan = planDynamicQuantize([src.length], device.capabilities, { mode: 'fast' });
    const narrow = storeNarrow(plan, { dst: 'uint8', zeroPoint: 'uint8' }, device.capabilities);
    const { dst, scale, zeroPoint } = await runPlan(device, narrow, {
      inputs: { src },
      outputs: {
        dst: { type: 'uint8', length: src.length },
        scale: 1,
        zeroPoint: { type: 'uint8', length: 1 },
      },
    });
    const expected = referenceDynamicQuantize(src);
    expectExact(scale, [expected.scale], [1]);
    expectExact(zeroPoint, [expected.zeroPoint], [1]);
    expectExact(dst, expected.dst, [src.length]);
  });
});

describe('problems', () => {
  it('refuse scales that do not fit', () => {
    const refuse = (request: Partial<Parameters<typeof makeDequantizeProblem>[0]>): void =>
      expect(() => makeDequantizeProblem({ dims: [2, 6], scaleDims: [], src: 'int8', ...request })).toThrow(
        GpuKernelShapeError,
      );
    refuse({ scaleDims: [5] });
    refuse({ scaleDims: [6], axis: 2 });
    refuse({ scaleDims: [2, 2] });
    refuse({ scaleDims: [2, 2], blockSize: 2 });
    refuse({ scaleDims: [2, 3], blockSize: -2 });
  });

  it('compile nothing for another picture size', () => {
    const wgsl = (side: number): string[] =>
      planQuantize(
        makeQuantizeProblem({ dims: [1, 7, side, 9], scaleDims: [7], dst: 'uint8', zeroPoint: true }),
        defaultCapabilities(),
        { mode: 'fast' },
      ).plan.passes.map((pass) => pass.wgsl);
    expect(wgsl(5)).toEqual(wgsl(11));
  });
});
