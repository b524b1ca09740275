/** Every element-wise and moving plan as a GPU with default limits would get it compiles on Dawn's null backend. */
import { defaultCapabilities } from '@onegpu/core';
import { compilePlan } from '@onegpu/testing';
import { describe, test } from 'vitest';
import {
  BINARY_CASES,
  MOVE_CASES,
  makeConcatProblem,
  makeConvertLayoutProblem,
  makeUnaryProblem,
  planConcat,
  planConvertLayout,
  selectBinary,
  selectMove,
  selectUnary,
  UNARY_CASES,
  UNARY_FUNCTIONS,
} from '../../src/index.ts';

const TARGET = defaultCapabilities();
const OPTIONS = { mode: 'fast' } as const;

describe('compiles', () => {
  test('unary cases', async () => {
    await Promise.all(
      UNARY_CASES.map(({ problem }) => compilePlan(selectUnary(problem, TARGET, OPTIONS).plan)),
    );
  });

  test('every unary function over vec4', async () => {
    const problems = UNARY_FUNCTIONS.map((step) =>
      makeUnaryProblem({ dims: [1, 6, 5, 7], layout: 'nhwc4', activation: [step] }),
    );
    await Promise.all(problems.map((problem) => compilePlan(selectUnary(problem, TARGET, OPTIONS).plan)));
  });

  test('binary cases', async () => {
    await Promise.all(
      BINARY_CASES.map(({ problem }) => compilePlan(selectBinary(problem, TARGET, OPTIONS).plan)),
    );
  });

  test('views', async () => {
    await Promise.all(
      MOVE_CASES.map(({ problem }) => compilePlan(selectMove(problem, TARGET, OPTIONS).plan)),
    );
  });

  test('concatenation and layout conversion', async () => {
    const inputs = Array.from({ length: 12 }, () => [1, 4, 3, 5]);
    for (const layout of ['nchw', 'nhwc4'] as const) {
      await compilePlan(planConcat(makeConcatProblem({ inputs, axis: 1, layout }), TARGET));
      await compilePlan(planConvertLayout(makeConvertLayoutProblem([2, 6, 5, 7], layout), TARGET));
    }
  });
});
