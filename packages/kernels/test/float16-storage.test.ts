/**
 * Every operator over float16 operands: sums in float32 from the halves' exact values, rounded once. The inputs are
 * small integers, so the float64 reference sees the same numbers.
 */
import { type DispatchPlan, defaultCapabilities, type OperandArray, storeNarrow } from '@onegpu/core';
import { expectExact, expectWithin, integerFill, runPlan, testDevice } from '@onegpu/testing';
import { describe, it } from 'vitest';
import { BINARY_CASES } from '../src/binary/cases.ts';
import { CONV_TRANSPOSE_CASES, convTransposeCase } from '../src/conv-transpose/cases.ts';
import { CONV_TRANSPOSE_ALGORITHMS, selectConvTranspose } from '../src/conv-transpose/select.ts';
import { GEMM_CASES } from '../src/gemm/cases.ts';
import { GEMM_ALGORITHMS } from '../src/gemm/select.ts';
import {
  layoutElements,
  makeDequantizeProblem,
  makeGlobalPoolProblem,
  packNhwc4,
  planBatchNorm,
  planDequantize,
  planLrn,
  planMaxUnpool,
  planPool,
  planQuantize,
  planReduce,
  planResize,
  planRowNorm,
  planSoftmax,
  selectBinary,
  selectGemm,
  sumTolerance,
} from '../src/index.ts';
import { LRN_CASES } from '../src/lrn/cases.ts';
import { MAX_UNPOOL_CASES } from '../src/max-unpool/cases.ts';
import { BATCH_NORM_CASES, ROW_NORM_CASES } from '../src/normalization/cases.ts';
import { POOL_CASES } from '../src/pool/cases.ts';
import { QUANTIZE_CASES } from '../src/quantize/cases.ts';
import { REDUCE_CASES } from '../src/reduce/cases.ts';
import { applyActivation } from '../src/reference/activation.ts';
import { binaryReference } from '../src/reference/binary.ts';
import { convTransposeReference } from '../src/reference/conv-transpose.ts';
import { gemmReference } from '../src/reference/gemm.ts';
import { referenceLrn } from '../src/reference/lrn.ts';
import { referenceMaxUnpool } from '../src/reference/max-unpool.ts';
import { referenceBatchNorm, referenceRowNorm } from '../src/reference/normalization.ts';
import { referencePool } from '../src/reference/pool.ts';
import { referenceDequantize, referenceQuantize } from '../src/reference/quantize.ts';
import { referenceReduce } from '../src/reference/reduce.ts';
import { referenceResize } from '../src/reference/resize.ts';
import { referenceSoftmax } from '../src/reference/softmax.ts';
import { RESIZE_CASES } from '../src/resize/cases.ts';
import { SOFTMAX_CASES } from '../src/softmax/cases.ts';
import { runInLayout } from './run-in-layout.ts';

const OPTIONS = { mode: 'deterministic' } as const;
const SOFTWARE = defaultCapabilities({ software: true });
const count = (dims: readonly number[]): number => layoutElements(dims, 'nchw');

async function runHalf(plan: DispatchPlan, inputs: Record<string, OperandArray>, length: number) {
  const { dst } = await runPlan(await testDevice(), plan, { inputs, outputs: { dst: length }, half: true });
  return dst;
}

/** Functions behind the sums: 64 ulp of float32 are nothing beside the roundoff of float16. */
function tolerance(terms: number): number {
  return sumTolerance({ terms, activationUlp: 64, half: true });
}

/** A sample: storage is put below finished kernels, which their own tests cover. */
function every<T>(rows: readonly T[], step: number): T[] {
  return rows.filter((_, index) => index % step === 0);
}

describe('pool', () => {
  it.each(every(POOL_CASES, 5))('$name', async ({ problem: wide }) => {
    const problem = { ...wide, element: 'float16' as const };
    const { layout, srcDims, dstDims } = problem;
    const src = integerFill(count(srcDims), 1);
    const { plan } = planPool(problem, (await testDevice()).capabilities, OPTIONS);
    const inputs = { src: { data: src, dims: srcDims } };
    const actual = await runInLayout(plan, { layout, inputs, dstDims, half: true });
    expectWithin(actual, referencePool(problem, src), tolerance(256), dstDims);
  });

  it('a global maximum over nothing is the lowest half', async () => {
    const problem = makeGlobalPoolProblem({ operation: 'max', dims: [1, 3, 0], element: 'float16' });
    const { plan } = planReduce(problem, (await testDevice()).capabilities, OPTIONS);
    expectExact(
      await runHalf(plan, { src: new Float32Array(0) }, 3),
      referenceReduce(problem, []),
      problem.dstDims,
    );
  });
});

describe('lrn', () => {
  it.each(every(LRN_CASES, 3))('$name', async ({ problem }) => {
    const { layout, dims } = problem;
    const src = integerFill(count(dims), 1);
    const { plan } = planLrn(problem, (await testDevice()).capabilities, OPTIONS);
    const actual = await runInLayout(plan, {
      layout,
      inputs: { src: { data: src, dims } },
      dstDims: dims,
      half: true,
    });
    expectWithin(actual, referenceLrn(problem, src), tolerance(problem.size), dims);
  });
});

describe('max-unpool', () => {
  it.each(MAX_UNPOOL_CASES)('$name', async ({ problem }) => {
    const places = Float64Array.from({ length: problem.sources }, (_, at) => (7 * at) % problem.outputs || 0);
    const src = integerFill(problem.sources, 1);
    const indices = Int32Array.from({ length: 2 * problem.sources }, (_, at) =>
      at % 2 === 0 ? (places[at / 2] ?? 0) : 0,
    );
    const { plan } = planMaxUnpool(problem, (await testDevice()).capabilities, OPTIONS);
    const expected = referenceMaxUnpool(problem, places).map((at) => (at < 0 ? 0 : (src[at] ?? 0)));
    expectExact(await runHalf(plan, { src, indices }, problem.outputs), expected, problem.dstDims);
  });
});

describe('resize', () => {
  const plain = RESIZE_CASES.filter(
    ({ problem: { epilogue } }) => !epilogue.residual && epilogue.activation.length === 0,
  );
  it.each(every(plain, 2))('$name', async ({ problem }) => {
    const { layout, srcDims, dstDims } = problem;
    const src = integerFill(count(srcDims), 1);
    const { plan } = planResize(problem, (await testDevice()).capabilities, OPTIONS);
    const inputs = { src: { data: src, dims: srcDims } };
    const actual = await runInLayout(plan, { layout, inputs, dstDims, half: true });
    expectWithin(actual, referenceResize(problem, src), tolerance(64), dstDims);
  });
});

describe('reduce', () => {
  it.each(every(REDUCE_CASES, 3))('$name', async ({ problem }) => {
    const { layout, srcDims, dstDims } = problem;
    const src = integerFill(count(srcDims), 1, 1, 2);
    const { plan } = planReduce(problem, (await testDevice()).capabilities, OPTIONS);
    const inputs = { src: { data: src, dims: srcDims } };
    const actual = await runInLayout(plan, { layout, inputs, dstDims, half: true });
    const expected = referenceReduce(problem, src).map((value) =>
      Math.abs(value) > 65520 ? Number.POSITIVE_INFINITY * value : value,
    );
    expectWithin(actual, expected, tolerance(problem.count), dstDims);
  });
});

describe('softmax', () => {
  it.each(every(SOFTMAX_CASES, 2))('$name', async ({ problem }) => {
    const src = integerFill(problem.outer * problem.extent * problem.inner, 1, -4, 4);
    const { plan } = planSoftmax(problem, (await testDevice()).capabilities, OPTIONS);
    const actual = await runHalf(plan, { src }, src.length);
    expectWithin(actual, referenceSoftmax(problem, src), tolerance(problem.extent), problem.dims);
  });
});

describe('normalization', () => {
  it.each(every(BATCH_NORM_CASES, 2))('$name', async ({ problem }) => {
    const { dims, channels, layout } = problem;
    const fill = (length: number, seed: number, low: number): Float32Array =>
      integerFill(length, seed, low, low + 3);
    const operands = {
      src: fill(count(dims), 1, -2),
      scale: fill(channels, 2, 1),
      bias: fill(channels, 3, -1),
      mean: fill(channels, 4, -1),
      variance: fill(channels, 5, 1),
    };
    const { plan } = planBatchNorm(problem, (await testDevice()).capabilities, OPTIONS);
    const src = layout === 'nhwc4' ? packNhwc4(operands.src, dims) : operands.src;
    const actual = await runHalf(plan, { ...operands, src }, layoutElements(dims, layout));
    const expected = Float32Array.from(referenceBatchNorm(problem, operands));
    const stored = layout === 'nhwc4' ? packNhwc4(expected, dims) : expected;
    expectWithin(actual, stored, tolerance(2), [stored.length]);
  });

  it.each(every(ROW_NORM_CASES, 2))('$name', async ({ problem }) => {
    const operands = {
      src: integerFill(problem.rows * problem.extent, 1),
      scale: integerFill(problem.parameters, 2, 1, 3),
      bias: integerFill(problem.parameters, 3),
    };
    const { plan } = planRowNorm(problem, (await testDevice()).capabilities, OPTIONS);
    const { src, scale, bias } = operands;
    const actual = await runHalf(plan, problem.bias ? { src, scale, bias } : { src, scale }, src.length);
    expectWithin(actual, referenceRowNorm(problem, operands), tolerance(problem.extent), problem.dims);
  });
});

describe.each(GEMM_ALGORITHMS.map((entry) => [entry.name, entry] as const))('gemm/%s', (algorithm, entry) => {
  const taken = GEMM_CASES.filter(({ problem }) => entry.impossible(problem, SOFTWARE) === undefined);
  it.each(every(taken, 3))('$name', async ({ problem }) => {
    const { gemmM, gemmN, gemmK } = problem;
    const sources = 1 + Math.max(0, ...problem.srcMatrices);
    const addends = { none: 0, scalar: 1, row: gemmN, column: gemmM, full: gemmM * gemmN }[problem.addend];
    const operands = {
      src: integerFill(sources * gemmM * gemmK, 1, -4, 4),
      weights: integerFill(problem.weightsCount * gemmK * gemmN, 2, -4, 4),
      ...(problem.addend === 'none' ? {} : { bias: integerFill(addends, 3, -4, 4) }),
      ...(problem.residual ? { residual: integerFill(count(problem.dstDims), 4) } : {}),
    };
    const { plan } = selectGemm(problem, (await testDevice()).capabilities, { mode: 'fast', algorithm });
    const expected = gemmReference(problem, { bias: undefined, residual: undefined, ...operands });
    const active = expected.map((sum) => applyActivation(problem.activation, sum));
    expectWithin(await runHalf(plan, operands, active.length), active, tolerance(gemmK), problem.dstDims);
  });
});

describe.each(CONV_TRANSPOSE_ALGORITHMS.map((entry) => [entry.name, entry] as const))(
  'conv-transpose/%s',
  (algorithm, entry) => {
    const rows = (['nchw', 'nhwc4'] as const).flatMap((layout) =>
      CONV_TRANSPOSE_CASES.map((row) => ({
        name: `${row.name}, ${layout}`,
        problem: convTransposeCase(row, layout),
      })),
    );
    const taken = rows.filter(({ problem }) => entry.impossible(problem, SOFTWARE) === undefined);
    it.each(every(taken, 4))('$name', async ({ problem }) => {
      const { batch, ic, oc, groups, vertical, horizontal, layout, epilogue } = problem;
      const dstDims = [batch, oc, vertical.output, horizontal.output];
      const srcDims = [batch, ic, vertical.input, horizontal.input];
      const taps = vertical.kernel * horizontal.kernel;
      const src = integerFill(count(srcDims), 1);
      const weights = integerFill((ic * oc * taps) / groups, 2);
      const bias = epilogue.bias ? { bias: integerFill(oc, 3) } : {};
      const residual = epilogue.residual ? integerFill(count(dstDims), 4) : undefined;
      const stored = <T extends OperandArray>(data: T, dims: readonly number[]): T =>
        layout === 'nchw' ? data : packNhwc4(data, dims);
      const inputs = {
        src: stored(src, srcDims),
        weights,
        ...bias,
        ...(residual === undefined ? {} : { residual: stored(residual, dstDims) }),
      };
      const target = (await testDevice()).capabilities;
      const { plan } = selectConvTranspose(problem, target, { mode: 'fast', algorithm });
      const sums = convTransposeReference(problem, { src, weights, ...bias, residual });
      const expected = Float32Array.from(sums, (sum) => applyActivation(epilogue.activation, sum));
      const actual = await runHalf(plan, inputs, layoutElements(dstDims, layout));
      const terms = Math.ceil((ic / groups) * taps);
      expectWithin(actual, stored(expected, dstDims), tolerance(terms), [actual.length]);
    });
  },
);

describe('binary', () => {
  it.each(every(BINARY_CASES, 2))('$name', async ({ problem }) => {
    const values = (dims: readonly number[], seed: number): Float32Array =>
      integerFill(count(dims), seed, 1, 4);
    const [lhs, rhs] = [values(problem.lhs.dims, 1), values(problem.rhs.dims, 2)];
    const stored = (operand: typeof problem.lhs, data: Float32Array): Float32Array =>
      operand.layout === 'nhwc4' ? packNhwc4(data, operand.dims) : data;
    const { plan } = selectBinary(problem, (await testDevice()).capabilities, OPTIONS);
    const inputs = { lhs: stored(problem.lhs, lhs), rhs: stored(problem.rhs, rhs) };
    const sides = [
      { data: lhs, dims: problem.lhs.dims },
      { data: rhs, dims: problem.rhs.dims },
    ] as const;
    const expected = binaryReference(problem.function, ...sides, problem.dims).map((value) =>
      applyActivation(problem.activation, value),
    );
    const dense = Float32Array.from(expected);
    const target = problem.layout === 'nhwc4' ? packNhwc4(dense, problem.dims) : dense;
    const actual = await runHalf(plan, inputs, problem.elements);
    expectWithin(actual, target, tolerance(1), [target.length]);
  });
});

describe('quantization', () => {
  it.each(
    every(
      QUANTIZE_CASES.filter(({ problem: { src, dst } }) => src === 'float' && dst === 'uint8'),
      2,
    ),
  )('$name', async ({ problem }) => {
    const device = await testDevice();
    const { dims, layout, dst: type } = problem;
    const src = integerFill(count(dims), 1, -60, 60);
    const scale = integerFill(count(problem.scaleDims), 2, 2, 5);
    const zeroPoint = Uint8Array.from(integerFill(scale.length, 3, 100, 150));
    const { plan } = planQuantize(problem, device.capabilities, OPTIONS);
    const narrow = storeNarrow(plan, { dst: type, zeroPoint: type }, device.capabilities);
    const inputs = {
      src: layout === 'nhwc4' ? packNhwc4(src, dims) : src,
      scale,
      ...(problem.zeroPoint ? { zeroPoint } : {}),
    };
    const length = layoutElements(dims, layout);
    const { dst } = await runPlan(device, narrow, { inputs, outputs: { dst: { type, length } }, half: true });
    const zeros = problem.zeroPoint ? zeroPoint : undefined;
    const expected = Uint8Array.from(referenceQuantize(problem, { src, scale, zeroPoint: zeros }));
    expectExact(dst, layout === 'nhwc4' ? packNhwc4(expected, dims) : expected, [length]);
  });

  it('back to half precision', async () => {
    const device = await testDevice();
    const problem = makeDequantizeProblem({ dims: [2, 5, 7], scaleDims: [5], src: 'int8', zeroPoint: true });
    const src = Int8Array.from(integerFill(70, 1, -128, 127));
    const operands = { src, scale: integerFill(5, 2, 1, 4), zeroPoint: Int8Array.of(1, -2, 3, 0, 5) };
    const { plan } = planDequantize(problem, device.capabilities, OPTIONS);
    const narrow = storeNarrow(plan, { src: 'int8', zeroPoint: 'int8' }, device.capabilities);
    const { dst } = await runPlan(device, narrow, { inputs: operands, outputs: { dst: 70 }, half: true });
    expectExact(dst, referenceDequantize(problem, operands), [70]);
  });
});
