/** Quantised products, every algorithm of the integer product below them, bit for bit. */
import {
  defaultCapabilities,
  type GpuElementType,
  GpuKernelShapeError,
  type OperandArray,
  storeNarrow,
} from '@onegpu/core';
import { expectExact, integerFill, randomFill, runPlan, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { type ConvIntegerRequest, makeConvIntegerProblem } from '../conv-integer/problem.ts';
import { makeMatMulIntegerProblem } from '../matmul-integer/problem.ts';
import { referenceConvInteger } from '../reference/conv-integer.ts';
import { referenceMatMulInteger } from '../reference/matmul-integer.ts';
import { referenceRequantize } from '../reference/requantize.ts';
import type { KernelOptions } from '../shared/algorithm.ts';
import { elementCount, layoutElements, packNhwc4 } from '../shared/layout.ts';
import type { ByteType } from '../shared/quantized-type.ts';
import {
  makeQLinearConvProblem,
  planQLinearConv,
  QLINEAR_CONV_ALGORITHMS,
  qlinearConvRequantize,
} from './conv.ts';
import {
  makeQLinearMatMulProblem,
  planQLinearMatMul,
  QLINEAR_MATMUL_ALGORITHMS,
  qlinearMatMulRequantize,
} from './matmul.ts';

const ARRAYS = { int8: Int8Array, uint8: Uint8Array };

function bytes(type: ByteType, length: number, seed: number): OperandArray {
  const [low, high] = type === 'int8' ? [-128, 127] : [0, 255];
  return ARRAYS[type].from(integerFill(length, seed, low, high));
}

const CONVOLUTIONS: readonly (readonly [string, Partial<ConvIntegerRequest>])[] = [
  ['a 3x3 window', { pads: [1, 1, 1, 1] }],
  ['signed by unsigned', { srcType: 'int8', weightsType: 'uint8', strides: [2, 2] }],
  ['depthwise', { src: [2, 7, 5, 9], weights: [7, 1, 3, 3], groups: 7, pads: [1, 1, 1, 1] }],
  ['1-D', { src: [2, 5, 11], weights: [6, 5, 3] }],
  ['three axes', { src: [1, 3, 3, 4, 5], weights: [5, 3, 2, 2, 2] }],
  ['empty', { src: [0, 5, 7, 11] }],
];

function convolution(request: Partial<ConvIntegerRequest>, dstType: ByteType, layout: 'nchw' | 'nhwc4') {
  const conv = makeConvIntegerProblem({
    srcType: 'uint8',
    weightsType: 'int8',
    src: [2, 5, 7, 11],
    weights: [6, 5, 3, 3],
    srcZeroPoint: true,
    weightsZeroPointDims: [],
    weightsConstant: true,
    layout,
    ...request,
  });
  const weightsScaleDims = dstType === 'int8' ? [conv.oc] : [];
  return makeQLinearConvProblem({ conv, dstType, weightsScaleDims, dstZeroPoint: true, biasDims: [conv.oc] });
}

for (const { name: algorithm, impossible } of QLINEAR_CONV_ALGORITHMS) {
  const rows = CONVOLUTIONS.flatMap(([name, request]) =>
    (['uint8', 'int8'] as const).flatMap((type) =>
      (['nchw', 'nhwc4'] as const).map((layout) => ({
        name: `${name}, ${type}, ${layout}`,
        problem: convolution(request, type, layout),
      })),
    ),
  ).filter(({ problem }) => impossible(problem.conv, defaultCapabilities()) === undefined);
  describe(`qlinear-conv/${algorithm}`, () => {
    it.each(rows)('$name', async ({ problem }) => {
      const device = await testDevice();
      const { conv, dstType } = problem;
      const { srcType, weightsType, srcDims, dstDims, layout, oc } = conv;
      const operands = {
        src: bytes(srcType, elementCount(srcDims), 1),
        weights: bytes(weightsType, elementCount(conv.weightsDims), 2),
        srcZeroPoint: bytes(srcType, 1, 3),
        weightsZeroPoint: bytes(weightsType, 1, 4),
        srcScale: Float32Array.of(0.013),
        weightsScale: randomFill(problem.weightsScale === 'one' ? 1 : oc, 5, 0.001, 0.02),
        dstScale: Float32Array.of(0.17),
        dstZeroPoint: bytes(dstType, 1, 6),
        bias: Int32Array.from(integerFill(oc, 7, -20000, 20000)),
      };
      const { plan } = planQLinearConv(problem, device.capabilities, { mode: 'fast', algorithm });
      const types: Record<string, GpuElementType> = {
        src: srcType,
        srcZeroPoint: srcType,
        weights: weightsType,
        weightsZeroPoint: weightsType,
        dst: dstType,
        dstZeroPoint: dstType,
      };
      const src = layout === 'nhwc4' ? packNhwc4(operands.src, srcDims) : operands.src;
      const narrow = storeNarrow(plan, types, device.capabilities);
      const run = {
        inputs: { ...operands, src },
        outputs: { dst: { type: dstType, length: layoutElements(dstDims, layout) } },
      };
      const { dst } = await runPlan(device, narrow, run);
      const moved = await runPlan(device, narrow, { ...run, arenaOffset: 1280 });
      expectExact(moved.dst, dst, [dst.length]);
      const sums = referenceConvInteger(conv, operands);
      const expected = ARRAYS[dstType].from(
        referenceRequantize(qlinearConvRequantize(problem), sums, operands),
      );
      const stored = layout === 'nhwc4' ? packNhwc4<OperandArray>(expected, dstDims) : expected;
      expectExact(dst, stored, [stored.length]);
    });
  });
}

const PRODUCTS = [
  ['one scale', { src: [7, 8], weights: [8, 12] }, {}],
  ['a scale a column', { src: [3, 5, 8], weights: [8, 12] }, { weightsScaleDims: [12] }],
  ['a scale a row', { src: [7, 8], weights: [8, 12] }, { srcScaleDims: [7], dstScaleDims: [7] }],
  [
    'batches',
    { src: [2, 5, 7], weights: [2, 7, 3] },
    { weightsScaleDims: [2, 1, 3], srcScaleDims: [2, 5, 1] },
  ],
] as const;

for (const { name: algorithm, impossible } of QLINEAR_MATMUL_ALGORITHMS) {
  const rows = PRODUCTS.map(([name, dims, scales]) => {
    const zero = { srcZeroPointDims: [], weightsZeroPointDims: [], weightsConstant: true };
    const product = makeMatMulIntegerProblem({ srcType: 'uint8', weightsType: 'int8', ...zero, ...dims });
    const scalars = { srcScaleDims: [], weightsScaleDims: [], dstScaleDims: [], dstZeroPointDims: [] };
    return { name, problem: makeQLinearMatMulProblem({ product, dstType: 'int8', ...scalars, ...scales }) };
  }).filter(({ problem }) => impossible(problem.product, defaultCapabilities()) === undefined);
  describe(`qlinear-matmul/${algorithm}`, () => {
    it.each(rows)('$name', async ({ problem }) => {
      const device = await testDevice();
      const { product, operands: dims } = problem;
      const scale = (extents: readonly number[], seed: number): Float32Array =>
        randomFill(elementCount(extents), seed, 0.01, 0.05);
      const operands = {
        src: bytes('uint8', elementCount(product.rowDims) * product.gemmK, 1),
        weights: bytes('int8', elementCount(product.columnDims) * product.gemmK, 2),
        srcZeroPoint: bytes('uint8', 1, 3),
        weightsZeroPoint: bytes('int8', 1, 4),
        srcScale: scale(dims.srcScale, 5),
        weightsScale: scale(dims.weightsScale, 6),
        dstScale: scale(dims.dstScale, 7).map((value) => 5 * value),
        dstZeroPoint: bytes('int8', 1, 8),
      };
      const options: KernelOptions = { mode: 'fast', algorithm };
      const { plan } = planQLinearMatMul(problem, device.capabilities, options);
      const types: Record<string, GpuElementType> = {
        src: 'uint8',
        srcZeroPoint: 'uint8',
        weights: 'int8',
        weightsZeroPoint: 'int8',
        dst: 'int8',
        dstZeroPoint: 'int8',
      };
      const length = elementCount(product.fullDims);
      const { dst } = await runPlan(device, storeNarrow(plan, types, device.capabilities), {
        inputs: operands,
        outputs: { dst: { type: 'int8', length } },
      });
      const sums = referenceMatMulInteger(product, operands);
      expectExact(dst, referenceRequantize(qlinearMatMulRequantize(problem), sums, operands), [length]);
    });
  });
}

it.each(['int8', 'uint8'] as const)(
  'a result of %s over a scale of zero ends where IEEE 754 says',
  async (type) => {
    const device = await testDevice();
    const zero = { srcZeroPointDims: [], weightsZeroPointDims: [], weightsConstant: true };
    const product = makeMatMulIntegerProblem({
      ...{ srcType: 'uint8', weightsType: 'int8', src: [3, 4], weights: [4, 4], ...zero },
    });
    const problem = makeQLinearMatMulProblem({
      ...{
        product,
        dstType: type,
        srcScaleDims: [],
        weightsScaleDims: [],
        dstScaleDims: [],
        dstZeroPointDims: [],
      },
    });
    const operands = {
      // Sums above zero, below it and zero.
      src: Uint8Array.of(3, 3, 3, 3, 1, 1, 1, 1, 2, 2, 2, 2),
      weights: bytes('int8', 16, 2),
      srcZeroPoint: Uint8Array.of(2),
      weightsZeroPoint: Int8Array.of(0),
      ...{
        srcScale: Float32Array.of(0.5),
        weightsScale: Float32Array.of(0.25),
        dstScale: Float32Array.of(0),
      },
      dstZeroPoint: bytes(type, 1, 8),
    };
    const { plan } = planQLinearMatMul(problem, device.capabilities, { mode: 'fast' });
    const types: Record<string, GpuElementType> = {
      ...{ src: 'uint8', srcZeroPoint: 'uint8', weights: 'int8', weightsZeroPoint: 'int8' },
      ...{ dst: type, dstZeroPoint: type },
    };
    const { dst } = await runPlan(device, storeNarrow(plan, types, device.capabilities), {
      inputs: operands,
      outputs: { dst: { type, length: 12 } },
    });
    const sums = referenceMatMulInteger(product, operands);
    expectExact(dst, referenceRequantize(qlinearMatMulRequantize(problem), sums, operands), [12]);
  },
);

it('problems refuse scales and biases that do not fit', () => {
  const { conv } = convolution({}, 'int8', 'nchw');
  const request = { conv, dstType: 'int8', weightsScaleDims: [] } as const;
  expect(() => makeQLinearConvProblem({ ...request, weightsScaleDims: [5] })).toThrow(GpuKernelShapeError);
  expect(() => makeQLinearConvProblem({ ...request, biasDims: [1] })).toThrow(GpuKernelShapeError);
});
