/** Random quantised products, every algorithm of the integer product below them, bit for bit. */
import { type DispatchPlan, type GpuElementType, type OperandArray, storeNarrow } from '@onegpu/core';
import { expectExact, integerFill, randomFill, runPlan, testDevice } from '@onegpu/testing';
import fc from 'fast-check';
import { type ConvIntegerProblem, makeConvIntegerProblem } from '../src/conv-integer/problem.ts';
import { MATMUL_INTEGER_ALGORITHMS } from '../src/matmul-integer/index.ts';
import { type MatMulIntegerProblem, makeMatMulIntegerProblem } from '../src/matmul-integer/problem.ts';
import {
  makeQLinearConvProblem,
  makeQLinearMatMulProblem,
  planQLinearConv,
  planQLinearMatMul,
  QLINEAR_CONV_ALGORITHMS,
  QLINEAR_MATMUL_ALGORITHMS,
  type QLinearConvProblem,
  type QLinearMatMulProblem,
  qlinearConvRequantize,
  qlinearMatMulRequantize,
  type RequantizeProblem,
} from '../src/qlinear/index.ts';
import { referenceConvInteger } from '../src/reference/conv-integer.ts';
import { referenceMatMulInteger } from '../src/reference/matmul-integer.ts';
import { referenceRequantize } from '../src/reference/requantize.ts';
import type { Algorithm } from '../src/shared/algorithm.ts';
import { elementCount, layoutElements, packNhwc4 } from '../src/shared/layout.ts';
import type { ByteType } from '../src/shared/quantized-type.ts';
import { byteType, convIntegerRequest } from './random-conv-integer.ts';
import { extent, terms } from './random-extents.ts';
import { describeSweep } from './sweep.ts';

const ARRAYS = { int8: Int8Array, uint8: Uint8Array };

/** The whole range of the type. */
function bytes(type: ByteType, dims: readonly number[], seed: number): Int8Array | Uint8Array {
  const [low, high] = type === 'int8' ? [-128, 127] : [0, 255];
  return ARRAYS[type].from(integerFill(elementCount(dims), seed, low, high));
}

const scale = (dims: readonly number[], seed: number): Float32Array =>
  randomFill(elementCount(dims), seed, 0.01, 0.05);

/** One number for all, or one a row or column. */
const sharing = fc.constantFrom('none', 'one', 'each');

const products: fc.Arbitrary<MatMulIntegerProblem> = fc
  .record({
    rows: extent,
    columns: extent,
    inner: terms,
    types: fc.tuple(byteType, byteType),
    srcBatch: fc.constantFrom([], [2], [3, 1]),
    weightsBatch: fc.constantFrom([], [], [2], [1]),
    srcZero: sharing,
    weightsZero: sharing,
    weightsConstant: fc.boolean(),
  })
  .map(({ rows, columns, inner, types, srcBatch, weightsBatch, srcZero, weightsZero, weightsConstant }) =>
    makeMatMulIntegerProblem({
      ...{ srcType: types[0], weightsType: types[1], weightsConstant },
      src: [...srcBatch, rows, inner],
      weights: [...weightsBatch, inner, columns],
      srcZeroPointDims: { none: undefined, one: [], each: [rows] }[srcZero],
      weightsZeroPointDims: { none: undefined, one: [], each: [columns] }[weightsZero],
    }),
  )
  .filter(({ fullDims }) => elementCount(fullDims) <= 6000);

const convolutions: fc.Arbitrary<QLinearConvProblem> = fc
  .record({
    request: convIntegerRequest,
    dstType: byteType,
    channelScales: fc.boolean(),
    dstZeroPoint: fc.boolean(),
    bias: fc.boolean(),
  })
  .map(({ request, dstType, channelScales, dstZeroPoint, bias }) => {
    const conv = makeConvIntegerProblem(request);
    return makeQLinearConvProblem({
      ...{ conv, dstType, dstZeroPoint },
      weightsScaleDims: channelScales ? [conv.oc] : [],
      biasDims: bias ? [conv.oc] : undefined,
    });
  });

const matrices: fc.Arbitrary<QLinearMatMulProblem> = fc
  .record({
    product: products,
    dstType: byteType,
    scales: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
    dstZero: sharing,
  })
  .map(({ product, dstType, scales: [src, weights, dst], dstZero }) => {
    const { gemmM, gemmN } = product;
    return makeQLinearMatMulProblem({
      ...{ product, dstType },
      srcScaleDims: src ? [gemmM] : [],
      weightsScaleDims: weights ? [gemmN] : [],
      dstScaleDims: dst ? [gemmM] : [],
      dstZeroPointDims: { none: undefined, one: [], each: [gemmM] }[dstZero],
    });
  });

type Bytes = Int8Array | Uint8Array;

interface ByteRun {
  readonly inputs: Readonly<Record<string, OperandArray>>;
  readonly types: Readonly<Record<string, GpuElementType>>;
  readonly dstType: ByteType | 'int32';
  /** Elements, padding of the layout included. */
  readonly length: number;
}

async function runBytes(plan: DispatchPlan, run: ByteRun): Promise<OperandArray> {
  const { inputs, types, dstType, length } = run;
  const device = await testDevice();
  const narrow = storeNarrow(plan, { ...types, dst: dstType }, device.capabilities);
  const { dst } = await runPlan(device, narrow, { inputs, outputs: { dst: { type: dstType, length } } });
  return dst;
}

/** The operands that an integer product has under any layer, with their types. */
interface ProductOperands {
  readonly types: Readonly<Record<string, GpuElementType>>;
  readonly inputs: { src: Bytes; weights: Bytes; srcZeroPoint?: Bytes; weightsZeroPoint?: Bytes };
}

function matrixOperands(problem: MatMulIntegerProblem): ProductOperands {
  const { srcType, weightsType, rowDims, columnDims, gemmK, srcZeroDims, weightsZeroDims } = problem;
  return {
    types: { src: srcType, srcZeroPoint: srcType, weights: weightsType, weightsZeroPoint: weightsType },
    inputs: {
      src: bytes(srcType, [...rowDims, gemmK], 1),
      weights: bytes(weightsType, [...columnDims, gemmK], 2),
      ...(srcZeroDims === undefined ? {} : { srcZeroPoint: bytes(srcType, srcZeroDims, 3) }),
      ...(weightsZeroDims === undefined ? {} : { weightsZeroPoint: bytes(weightsType, weightsZeroDims, 4) }),
    },
  };
}

function convOperands(problem: ConvIntegerProblem): ProductOperands {
  const { srcType, weightsType, srcDims, weightsDims, oc } = problem;
  const zeros = { none: undefined, one: [], channel: [oc] }[problem.weightsZeroPoint];
  return {
    types: { src: srcType, srcZeroPoint: srcType, weights: weightsType, weightsZeroPoint: weightsType },
    inputs: {
      src: bytes(srcType, srcDims, 1),
      weights: bytes(weightsType, weightsDims, 2),
      ...(problem.srcZeroPoint ? { srcZeroPoint: bytes(srcType, [], 3) } : {}),
      ...(zeros === undefined ? {} : { weightsZeroPoint: bytes(weightsType, zeros, 4) }),
    },
  };
}

/** The scales, zero point and bias behind a product; sums of any size spread over the bytes. */
function requantizeOperands({ operands, type }: RequantizeProblem, terms: number) {
  const { srcScale, weightsScale, dstScale, dstZeroPoint, bias } = operands;
  const spread = Math.sqrt(terms) * 3;
  return {
    srcScale: scale(srcScale, 5),
    weightsScale: scale(weightsScale, 6),
    dstScale: scale(dstScale, 7).map((value) => value * spread),
    ...(dstZeroPoint === undefined ? {} : { dstZeroPoint: bytes(type, dstZeroPoint, 8) }),
    ...(bias === undefined
      ? {}
      : { bias: Int32Array.from(integerFill(elementCount(bias), 9, -20000, 20000)) }),
  };
}

async function checkMatMul(
  problem: MatMulIntegerProblem,
  entry: Algorithm<MatMulIntegerProblem>,
): Promise<void> {
  const { capabilities } = await testDevice();
  const plan = entry.plan(problem, capabilities, { mode: 'deterministic' });
  const { inputs, types } = matrixOperands(problem);
  const length = elementCount(problem.fullDims);
  const dst = await runBytes(plan, { inputs, types, dstType: 'int32', length });
  expectExact(dst, referenceMatMulInteger(problem, inputs), problem.fullDims);
}

async function checkQLinearMatMul(
  problem: QLinearMatMulProblem,
  entry: Algorithm<QLinearMatMulProblem>,
): Promise<void> {
  const { capabilities } = await testDevice();
  const { product, dstType } = problem;
  const plan = entry.plan(problem, capabilities, { mode: 'deterministic' });
  const { inputs, types } = matrixOperands(product);
  const requantize = qlinearMatMulRequantize(problem);
  const operands = requantizeOperands(requantize, product.gemmK);
  const dst = await runBytes(plan, {
    ...{ inputs: { ...inputs, ...operands }, types: { ...types, dstZeroPoint: dstType } },
    ...{ dstType, length: elementCount(product.fullDims) },
  });
  const sums = referenceMatMulInteger(product, inputs);
  expectExact(dst, referenceRequantize(requantize, sums, operands), product.fullDims);
}

async function checkQLinearConv(
  problem: QLinearConvProblem,
  entry: Algorithm<QLinearConvProblem>,
): Promise<void> {
  const { capabilities } = await testDevice();
  const { conv, dstType } = problem;
  const { layout, srcDims, dstDims } = conv;
  const plan = entry.plan(problem, capabilities, { mode: 'deterministic' });
  const { inputs, types } = convOperands(conv);
  const requantize = qlinearConvRequantize(problem);
  const operands = requantizeOperands(requantize, elementCount(conv.weightsDims.slice(1)));
  const src = layout === 'nhwc4' ? packNhwc4(inputs.src, srcDims) : inputs.src;
  const length = layoutElements(dstDims, layout);
  const dst = await runBytes(plan, {
    ...{ inputs: { ...inputs, src, ...operands }, types: { ...types, dstZeroPoint: dstType } },
    ...{ dstType, length },
  });
  const values = referenceRequantize(requantize, referenceConvInteger(conv, inputs), operands);
  const expected = ARRAYS[dstType].from(values);
  expectExact(dst, layout === 'nhwc4' ? packNhwc4(expected, dstDims) : expected, [length]);
}

describeSweep({
  ...{ name: 'matmul-integer', algorithms: MATMUL_INTEGER_ALGORITHMS, problems: products },
  ...{ runs: 4, seed: 17, check: checkMatMul },
});

describeSweep<QLinearMatMulProblem>({
  name: 'qlinear-matmul',
  algorithms: QLINEAR_MATMUL_ALGORITHMS.map(({ name, impossible }) => ({
    name,
    reject: () => undefined,
    impossible: ({ product }, target) => impossible(product, target),
    plan: (problem, target, options) =>
      planQLinearMatMul(problem, target, { ...options, algorithm: name }).plan,
  })),
  ...{ problems: matrices, runs: 4, seed: 18, check: checkQLinearMatMul },
});

describeSweep<QLinearConvProblem>({
  name: 'qlinear-conv',
  algorithms: QLINEAR_CONV_ALGORITHMS.map(({ name, impossible }) => ({
    name,
    reject: () => undefined,
    impossible: ({ conv }, target) => impossible(conv, target),
    plan: (problem, target, options) =>
      planQLinearConv(problem, target, { ...options, algorithm: name }).plan,
  })),
  ...{ problems: convolutions, runs: 6, seed: 19, check: checkQLinearConv },
});
