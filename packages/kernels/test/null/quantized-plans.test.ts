/** Every plan of integer products and quantisation compiles for a GPU with default limits, with and without dot products. */
import { defaultCapabilities, type GpuElementType, storeNarrow } from '@onegpu/core';
import { compilePlan } from '@onegpu/testing';
import { describe, test } from 'vitest';
import {
  CONV_INTEGER_CASES,
  DEQUANTIZE_CASES,
  MATMUL_INTEGER_CASES,
  planConvInteger,
  planDequantize,
  planDynamicQuantize,
  planMatMulInteger,
  planQuantize,
  QUANTIZE_CASES,
} from '../../src/index.ts';

const OPTIONS = { mode: 'fast' } as const;
const TARGETS = [false, true].map((packedDotProduct) => defaultCapabilities({ packedDotProduct }));

describe.each(TARGETS)('packed dot product: $packedDotProduct', (target) => {
  test('integer products', async () => {
    for (const { problem } of CONV_INTEGER_CASES) {
      const { srcType: src, weightsType: weights } = problem;
      const types = { src, srcZeroPoint: src, weights, weightsZeroPoint: weights };
      await compilePlan(storeNarrow(planConvInteger(problem, target, OPTIONS).plan, types, target));
    }
    for (const { problem } of MATMUL_INTEGER_CASES) {
      const { srcType: src, weightsType: weights } = problem;
      const types = { src, srcZeroPoint: src, weights, weightsZeroPoint: weights };
      await compilePlan(storeNarrow(planMatMulInteger(problem, target, OPTIONS).plan, types, target));
    }
  });
});

test('quantisation', async () => {
  const target = defaultCapabilities();
  for (const { problem } of QUANTIZE_CASES) {
    const types: Record<string, GpuElementType> = { dst: problem.dst, zeroPoint: problem.dst };
    await compilePlan(storeNarrow(planQuantize(problem, target, OPTIONS).plan, types, target));
  }
  for (const { problem } of DEQUANTIZE_CASES) {
    const types: Record<string, GpuElementType> = { src: problem.src, zeroPoint: problem.src };
    await compilePlan(storeNarrow(planDequantize(problem, target, OPTIONS).plan, types, target));
  }
  const dynamic = planDynamicQuantize([3, 1021], target, OPTIONS);
  await compilePlan(storeNarrow(dynamic, { dst: 'uint8', zeroPoint: 'uint8' }, target));
});
