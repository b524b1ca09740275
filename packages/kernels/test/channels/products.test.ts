/** Channel counts of matrix products, terms and columns, and of integer and quantised convolutions and products. */
import { type DispatchPlan, type GpuElementType, type OperandArray, storeNarrow } from '@onegpu/core';
import { expectEqual, expectExact, integerFill, runPlan, testDevice } from '@onegpu/testing';
import { type ConvIntegerProblem, makeConvIntegerProblem } from '../../src/conv-integer/problem.ts';
import { CONV_INTEGER_ALGORITHMS } from '../../src/conv-integer/select.ts';
import { type GemmProblem, makeGemmProblem, makeMatMulProblem } from '../../src/gemm/problem.ts';
import { GEMM_ALGORITHMS } from '../../src/gemm/select.ts';
import { type MatMulIntegerProblem, makeMatMulIntegerProblem } from '../../src/matmul-integer/problem.ts';
import { MATMUL_INTEGER_ALGORITHMS } from '../../src/matmul-integer/select.ts';
import { makeQLinearConvProblem, planQLinearConv, qlinearConvRequantize } from '../../src/qlinear/conv.ts';
import {
  makeQLinearMatMulProblem,
  planQLinearMatMul,
  qlinearMatMulRequantize,
} from '../../src/qlinear/matmul.ts';
import { referenceConvInteger } from '../../src/reference/conv-integer.ts';
import { gemmReference } from '../../src/reference/gemm.ts';
import { referenceMatMulInteger } from '../../src/reference/matmul-integer.ts';
import { referenceRequantize } from '../../src/reference/requantize.ts';
import type { Algorithm } from '../../src/shared/algorithm.ts';
import { elementCount, layoutElements, packNhwc4 } from '../../src/shared/layout.ts';
import { type ChannelPair, channelPairs, describeChannels, EQUAL_CHANNELS, smallIntegers } from './counts.ts';

const ROWS = 3;

async function checkGemm(problem: GemmProblem, plan: DispatchPlan): Promise<void> {
  const { gemmK, gemmN } = problem;
  const inputs = {
    src: smallIntegers(ROWS * gemmK, 1),
    weights: smallIntegers(gemmK * gemmN, 2),
    bias: smallIntegers(gemmN, 3),
    residual: smallIntegers(ROWS * gemmN, 4),
  };
  const { dst } = await runPlan(await testDevice(), plan, { inputs, outputs: { dst: ROWS * gemmN } });
  expectEqual(dst, gemmReference(problem, inputs), [ROWS, gemmN]);
}

describeChannels<GemmProblem>({
  name: 'MatMul, extents as parameters',
  algorithms: GEMM_ALGORITHMS,
  pairs: channelPairs(),
  problems: (terms, columns) => [
    makeMatMulProblem({
      ...{ srcDims: [ROWS, terms], weightsDims: [terms, columns], bias: true, residual: true },
    }),
  ],
  check: checkGemm,
});

describeChannels<GemmProblem>({
  name: 'Gemm, extents compiled in',
  algorithms: GEMM_ALGORITHMS,
  pairs: channelPairs(),
  problems: (terms, columns) => [
    makeGemmProblem({
      ...{ srcDims: [ROWS, terms], weightsDims: [columns, terms], transB: true },
      ...{ biasDims: [columns], residual: true, weightsConstant: true },
    }),
  ],
  check: checkGemm,
  every: { tiled: 8, 'register-tile': 8, 'gemv-sliced': 8, 'rows-sliced': 8, gemv: 6 },
});

const signed = (length: number, seed: number): Int8Array =>
  Int8Array.from(integerFill(length, seed, -128, 127));
const unsigned = (length: number, seed: number): Uint8Array =>
  Uint8Array.from(integerFill(length, seed, 0, 255));

const TYPES: Readonly<Record<string, GpuElementType>> = {
  ...{ src: 'uint8', srcZeroPoint: 'uint8', weights: 'int8', weightsZeroPoint: 'int8' },
};

async function runBytes(
  plan: DispatchPlan,
  inputs: Readonly<Record<string, OperandArray>>,
  dst: { readonly type: 'int32' | 'int8'; readonly length: number },
): Promise<OperandArray> {
  const device = await testDevice();
  const types = dst.type === 'int8' ? { ...TYPES, dst: dst.type, dstZeroPoint: dst.type } : TYPES;
  const results = await runPlan(device, storeNarrow(plan, types, device.capabilities), {
    inputs,
    outputs: { dst },
  });
  return results.dst;
}

function convolution(ic: number, oc: number, groups: number): ConvIntegerProblem[] {
  return (['nhwc4', 'nchw'] as const).map((layout) =>
    makeConvIntegerProblem({
      ...{ srcType: 'uint8', weightsType: 'int8', srcZeroPoint: true, weightsZeroPointDims: [oc] },
      ...{ src: [2, ic, 3, 2], weights: [oc, ic / groups, 2, 1], pads: [0, 0, 1, 0], groups },
      ...{ layout, weightsConstant: true },
    }),
  );
}

function convolutionOperands({ ic, oc, groups }: ConvIntegerProblem) {
  return {
    src: unsigned(2 * ic * 6, 1),
    weights: signed((oc * ic * 2) / groups, 2),
    srcZeroPoint: unsigned(1, 3),
    weightsZeroPoint: signed(oc, 4),
  };
}

/** Scales, zero point and bias that bring sums of a few bytes into the range of a byte. */
function requantizing(oc: number) {
  return {
    srcScale: Float32Array.of(0.013),
    weightsScale: integerFill(oc, 5, 1, 20).map((value) => value / 1000),
    dstScale: Float32Array.of(0.37),
    dstZeroPoint: signed(1, 6),
    bias: Int32Array.from(integerFill(oc, 7, -20000, 20000)),
  };
}

async function checkConvInteger(problem: ConvIntegerProblem, plan: DispatchPlan): Promise<void> {
  const { layout, srcDims, dstDims } = problem;
  const operands = convolutionOperands(problem);
  const src = layout === 'nhwc4' ? packNhwc4(operands.src, srcDims) : operands.src;
  const length = layoutElements(dstDims, layout);
  const dst = await runBytes(plan, { ...operands, src }, { type: 'int32', length });
  const expected = referenceConvInteger(problem, operands);
  expectExact(dst, layout === 'nhwc4' ? packNhwc4(expected, dstDims) : expected, [length]);
}

const isDepthwise = ({ name }: { readonly name: string }): boolean => name === 'depthwise';

describeChannels({
  name: 'ConvInteger',
  algorithms: CONV_INTEGER_ALGORITHMS.filter((entry) => !isDepthwise(entry)),
  pairs: channelPairs(),
  problems: (ic, oc) => convolution(ic, oc, 1),
  check: checkConvInteger,
  every: { 'packed-dot': 8, direct: 2 },
});

describeChannels({
  name: 'depthwise ConvInteger',
  algorithms: CONV_INTEGER_ALGORITHMS.filter(isDepthwise),
  pairs: EQUAL_CHANNELS,
  problems: (channels) => convolution(channels, channels, channels),
  check: checkConvInteger,
  every: { depthwise: 2 },
});

/** The algorithms of the integer convolution with the step to bytes behind them. */
const QLINEAR_CONV: readonly Algorithm<ConvIntegerProblem>[] = CONV_INTEGER_ALGORITHMS.map((entry) => ({
  ...entry,
  plan: (conv, target, options) =>
    planQLinearConv(quantized(conv), target, { ...options, algorithm: entry.name }).plan,
}));

function quantized(conv: ConvIntegerProblem) {
  return makeQLinearConvProblem({
    ...{ conv, dstType: 'int8', weightsScaleDims: [conv.oc], dstZeroPoint: true, biasDims: [conv.oc] },
  });
}

async function checkQLinearConv(conv: ConvIntegerProblem, plan: DispatchPlan): Promise<void> {
  const { layout, srcDims, dstDims, oc } = conv;
  const operands = { ...convolutionOperands(conv), ...requantizing(oc) };
  const src = layout === 'nhwc4' ? packNhwc4(operands.src, srcDims) : operands.src;
  const length = layoutElements(dstDims, layout);
  const dst = await runBytes(plan, { ...operands, src }, { type: 'int8', length });
  const sums = referenceConvInteger(conv, operands);
  const expected = Int8Array.from(
    referenceRequantize(qlinearConvRequantize(quantized(conv)), sums, operands),
  );
  expectExact(dst, layout === 'nhwc4' ? packNhwc4(expected, dstDims) : expected, [length]);
}

describeChannels({
  name: 'QLinearConv',
  algorithms: QLINEAR_CONV.filter((entry) => !isDepthwise(entry)),
  pairs: channelPairs(),
  problems: (ic, oc) => convolution(ic, oc, 1),
  check: checkQLinearConv,
  every: { 'packed-dot': 8, direct: 2 },
});

describeChannels({
  name: 'depthwise QLinearConv',
  algorithms: QLINEAR_CONV.filter(isDepthwise),
  pairs: EQUAL_CHANNELS,
  problems: (channels) => convolution(channels, channels, channels),
  check: checkQLinearConv,
  every: { depthwise: 2 },
});

/** Counts that `packed-dot` takes: rows of whole words. */
const WORDS: readonly ChannelPair[] = [4, 8, 12, 16, 32, 64].map((count, at, all) => [
  count,
  all[(at + 1) % all.length] ?? 4,
]);

function product(terms: number, columns: number): MatMulIntegerProblem {
  return makeMatMulIntegerProblem({
    ...{ srcType: 'uint8', weightsType: 'int8', src: [ROWS, terms], weights: [terms, columns] },
    ...{ srcZeroPointDims: [], weightsZeroPointDims: [columns], weightsConstant: true },
  });
}

function productOperands({ gemmK, gemmN }: MatMulIntegerProblem) {
  return {
    src: unsigned(ROWS * gemmK, 1),
    weights: signed(gemmK * gemmN, 2),
    srcZeroPoint: unsigned(1, 3),
    weightsZeroPoint: signed(gemmN, 4),
  };
}

async function checkMatMulInteger(problem: MatMulIntegerProblem, plan: DispatchPlan): Promise<void> {
  const operands = productOperands(problem);
  const length = elementCount(problem.fullDims);
  const dst = await runBytes(plan, operands, { type: 'int32', length });
  expectExact(dst, referenceMatMulInteger(problem, operands), [length]);
}

function quantizedProduct(problem: MatMulIntegerProblem) {
  return makeQLinearMatMulProblem({
    ...{ product: problem, dstType: 'int8', srcScaleDims: [], weightsScaleDims: [problem.gemmN] },
    ...{ dstScaleDims: [], dstZeroPointDims: [] },
  });
}

const QLINEAR_MATMUL: readonly Algorithm<MatMulIntegerProblem>[] = MATMUL_INTEGER_ALGORITHMS.map((entry) => ({
  ...entry,
  plan: (problem, target, options) =>
    planQLinearMatMul(quantizedProduct(problem), target, { ...options, algorithm: entry.name }).plan,
}));

async function checkQLinearMatMul(problem: MatMulIntegerProblem, plan: DispatchPlan): Promise<void> {
  const { bias: _, ...scales } = requantizing(problem.gemmN);
  const operands = { ...productOperands(problem), ...scales };
  const length = elementCount(problem.fullDims);
  const dst = await runBytes(plan, operands, { type: 'int8', length });
  const sums = referenceMatMulInteger(problem, operands);
  const requantize = qlinearMatMulRequantize(quantizedProduct(problem));
  expectExact(dst, Int8Array.from(referenceRequantize(requantize, sums, operands)), [length]);
}

for (const [pairs, packed] of [
  [channelPairs(), false],
  [WORDS, true],
] as const) {
  const isPacked = ({ name }: { readonly name: string }): boolean => (name === 'packed-dot') === packed;
  describeChannels({
    ...{ name: 'MatMulInteger', pairs, check: checkMatMulInteger, every: { 'packed-dot': 3 } },
    algorithms: MATMUL_INTEGER_ALGORITHMS.filter(isPacked),
    problems: (terms, columns) => [product(terms, columns)],
  });
  describeChannels({
    ...{ name: 'QLinearMatMul', pairs, check: checkQLinearMatMul, every: { 'packed-dot': 3 } },
    algorithms: QLINEAR_MATMUL.filter(isPacked),
    problems: (terms, columns) => [product(terms, columns)],
  });
}
