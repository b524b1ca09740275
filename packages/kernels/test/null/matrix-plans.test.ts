/** Every plan of every Gemm, MatMul and ConvTranspose case, as hardware adapters get it, compiles and binds. */
import { defaultCapabilities } from '@onegpu/core';
import { compilePlan } from '@onegpu/testing';
import { describe, test } from 'vitest';
import {
  CONV_TRANSPOSE_ALGORITHMS,
  CONV_TRANSPOSE_CASES,
  convTransposeCase,
} from '../../src/conv-transpose/index.ts';
import { GEMM_ALGORITHMS, GEMM_CASES } from '../../src/gemm/index.ts';
import type { Algorithm } from '../../src/shared/algorithm.ts';

const TARGET = defaultCapabilities();

async function compileAll<Problem>(
  algorithm: Algorithm<Problem>,
  problems: readonly Problem[],
): Promise<void> {
  const taken = problems.filter((problem) => algorithm.impossible(problem, TARGET) === undefined);
  await Promise.all(
    taken.map((problem) => compilePlan(algorithm.plan(problem, TARGET, { mode: 'deterministic' }))),
  );
}

describe('gemm', () => {
  test.each(GEMM_ALGORITHMS)('$name', async (algorithm) => {
    await compileAll(
      algorithm,
      GEMM_CASES.map((entry) => entry.problem),
    );
  });
});

describe.each(['nchw', 'nhwc4'] as const)('conv-transpose %s', (layout) => {
  test.each(CONV_TRANSPOSE_ALGORITHMS)('$name', async (algorithm) => {
    await compileAll(
      algorithm,
      CONV_TRANSPOSE_CASES.map((entry) => convTransposeCase(entry, layout)),
    );
  });
});
