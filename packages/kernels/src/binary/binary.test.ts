/** Binary kernels on the GPU against the float64 reference, every case, on integers and on awkward floats. */
import { defaultCapabilities } from '@onegpu/core';
import { expectEqual, integerFill, randomFill, runPlan, testDevice } from '@onegpu/testing';
import { describe, expect, test } from 'vitest';
import { applyActivation } from '../reference/activation.ts';
import { applyBinary, binaryReference } from '../reference/binary.ts';
import { ACTIVATION_ULP } from '../shared/activation.ts';
import { layoutElements, packNhwc4 } from '../shared/layout.ts';
import {
  BINARY_CASES,
  type BinaryProblem,
  makeBinaryProblem,
  type PlannedOperand,
  selectBinary,
} from './index.ts';

const OPTIONS = { mode: 'deterministic' } as const;

function arrange(operand: PlannedOperand, data: Float32Array): Float32Array {
  return operand.layout === 'nhwc4' ? packNhwc4(data, operand.dims) : data;
}

async function run(problem: BinaryProblem, lhs: Float32Array, rhs: Float32Array): Promise<Float32Array> {
  const device = await testDevice();
  const { plan } = selectBinary(problem, device.capabilities, OPTIONS);
  const inputs = { lhs: arrange(problem.lhs, lhs), rhs: arrange(problem.rhs, rhs) };
  const { dst } = await runPlan(device, plan, { inputs, outputs: { dst: problem.elements } });
  return dst;
}

describe.each(BINARY_CASES.map((entry) => [entry.name, entry.problem] as const))('%s', (_, problem) => {
  test('equals the reference on integers', async () => {
    const [lhs, rhs] = [problem.lhs, problem.rhs].map((operand, index) =>
      powersOfTwoWhereDivided(problem, index, integerFill(layoutElements(operand.dims, 'nchw'), index + 1)),
    ) as [Float32Array, Float32Array];
    const expected = Float32Array.from(
      binaryReference(
        problem.function,
        { data: lhs, dims: problem.lhs.dims },
        { data: rhs, dims: problem.rhs.dims },
        problem.dims,
      ),
      (value) => applyActivation(problem.activation, value),
    );
    const stored = problem.layout === 'nhwc4' ? packNhwc4(expected, problem.dims) : expected;
    const actual = await run(problem, lhs, rhs);
    if (problem.function === 'pow') expectWithinUlp(actual, stored);
    else expectEqual(actual, stored, [stored.length]);
  });
});

/** Divisors are kept to 1, 2, 4 and 8 of both signs, whose quotients are exact. */
function powersOfTwoWhereDivided(problem: BinaryProblem, operand: number, data: Float32Array): Float32Array {
  const divides = ['div', 'remainder', 'modulo'].includes(problem.function);
  return divides && operand === 1
    ? data.map((value) => (value < 0 ? -1 : 1) * 2 ** (Math.abs(value) % 4))
    : data;
}

function expectWithinUlp(actual: Float32Array, expected: ArrayLike<number>): void {
  const failures: string[] = [];
  actual.forEach((value, index) => {
    const wanted = expected[index] ?? Number.NaN;
    if (Object.is(value, Math.fround(wanted)) || value === Math.fround(wanted)) return;
    const size = Math.abs(wanted);
    const allowed = size < 2 ** -120 ? 2 ** -126 : ACTIVATION_ULP * 2 ** (Math.floor(Math.log2(size)) - 23);
    if (!(Math.abs(value - wanted) <= allowed)) failures.push(`${index}: ${value}, expected ${wanted}`);
  });
  expect(failures.slice(0, 5)).toEqual([]);
}

test('pow is accurate for every size of base and exponent', async () => {
  const count = 4000;
  const lhs = randomFill(count, 7, -60, 60).map((value) => 2 ** value);
  const rhs = randomFill(count, 8, -120, 120).map((value, index) => value / Math.log2(lhs[index] ?? 2));
  const edges: readonly (readonly [number, number])[] = [
    [0, 0],
    [0, 2],
    [0, -1],
    [-0, 3],
    [-0, -3],
    [-0, 2],
    [-2, 3],
    [-2, 2],
    [-2, -1],
    [-2, 0.5],
    [1, 1e30],
    [2, 0.5],
    [Number.POSITIVE_INFINITY, 2],
    [Number.POSITIVE_INFINITY, -2],
    [Number.NEGATIVE_INFINITY, 3],
    [1e30, 3],
    [1e-30, 3],
    [-1e30, 3],
    [3, 16777217],
    [-1, 16777216],
    [0.5, 200],
    [10, 2],
  ];
  edges.forEach(([x, y], index) => {
    lhs[index] = x;
    rhs[index] = y;
  });
  const operand = { dims: [count], layout: 'nchw', constant: false } as const;
  const problem = makeBinaryProblem({
    function: 'pow',
    lhs: operand,
    rhs: operand,
    layout: 'nchw',
    activation: [],
  });
  const expected = Float64Array.from(lhs, (x, index) => applyBinary('pow', x, rhs[index] ?? 0));
  expectWithinUlp(await run(problem, lhs, rhs), expected);
});

test('remainder is exact whatever the quotient', async () => {
  const count = 2000;
  const lhs = randomFill(count, 9, -100, 100).map((value) => 2 ** value);
  const rhs = randomFill(count, 10, -100, 100).map((value) => -(2 ** value));
  lhs.set([5.5, -5.5, 1e30, 0, 7, 3, 2 ** -120]);
  rhs.set([2, 2, 3, 5, Number.POSITIVE_INFINITY, 0, 3 * 2 ** -124]);
  const operand = { dims: [count], layout: 'nchw', constant: false } as const;
  const problem = makeBinaryProblem({
    function: 'remainder',
    lhs: operand,
    rhs: operand,
    layout: 'nchw',
    activation: [],
  });
  const expected = lhs.map((x, index) => x % (rhs[index] ?? 1));
  expectEqual(await run(problem, lhs, rhs), expected, [count]);
});

test('a second picture size compiles nothing', () => {
  const text = (height: number, width: number): string | undefined => {
    const lhs = { dims: [1, 6, height, width], layout: 'nhwc4', constant: false } as const;
    const problem = makeBinaryProblem({
      function: 'mul',
      lhs,
      rhs: { ...lhs, dims: [1, 6, 1, 1] },
      layout: 'nhwc4',
      activation: [],
    });
    return selectBinary(problem, defaultCapabilities(), OPTIONS).plan.passes[0]?.wgsl;
  };
  expect(text(5, 7)).toBe(text(50, 30));
});

test('refuses shapes that do not broadcast and operands in the wrong layout', () => {
  const make = (rhs: readonly number[], layout: 'nchw' | 'nhwc4'): unknown =>
    makeBinaryProblem({
      function: 'add',
      lhs: { dims: [2, 3, 5], layout: 'nhwc4', constant: false },
      rhs: { dims: rhs, layout, constant: false },
      layout: 'nhwc4',
      activation: [],
    });
  expect(() => make([4], 'nchw')).toThrow(/broadcast/);
  expect(() => make([5], 'nchw')).toThrow(/layout/);
});
