/**
 * Typed element-wise kernels on the GPU, bit for bit against the reference: the ends of every range, divisors of zero,
 * NaN, infinities, both zeros and denormals among the data.
 */
import { DEFAULT_LIMITS, defaultCapabilities, storeNarrow } from '@onegpu/core';
import { compilePlan, runPlan, seededRandom, testDevice } from '@onegpu/testing';
import { describe, expect, test } from 'vitest';
import { mapReference } from '../reference/map.ts';
import { MAP_CASES, type MapElement, type MapProblem, makeMapProblem, selectMap } from './index.ts';

const OPTIONS = { mode: 'deterministic' } as const;
const countOf = (dims: readonly number[]): number => dims.reduce((product, extent) => product * extent, 1);

const AWKWARD_FLOATS = [
  0x7fc12345, 0xffc00001, 0x7f800001, 0x80000000, 0, 1, 0x80000001, 0x807fffff, 0x7f800000, 0xff800000,
  0x3f800000, 0xbf800000, 0x4b7fffff, 0x4b800000, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0xdf000000,
  0x5f800000, 0x3f7fffff, 0xbf7fffff, 0x40200000, 0xc3000000, 0x7f7fffff, 0x6a800000,
];
const AWKWARD_INTEGERS = [
  0n,
  1n,
  -1n,
  2n,
  -2n,
  3n,
  7n,
  -7n,
  127n,
  128n,
  255n,
  256n,
  0x7fffffffn,
  0x80000000n,
  0xffffffffn,
  0x100000000n,
  0x1000001n,
  0x1000003n,
  -0x1000001n,
  0x7fffffffffffffffn,
  0x8000000000000000n,
  0x80000080n,
  0x8000008000000001n,
  0xffffff8000000000n,
  0xffffff7fffffffffn,
  0xffff_ffffn << 32n,
];

type Values = readonly (number | bigint)[];

/** Every pair of awkward values comes up at different strides; the rest is random, of random magnitude. */
function valuesOf(element: MapElement, count: number, seed: number): Values {
  const random = seededRandom(seed);
  const stride = [1, 5, 11][seed % 3] ?? 1;
  return Array.from({ length: count }, (_, index) => {
    const bits = Math.floor(random() * 2 ** 32);
    const position = Math.floor(index / 2) * stride + (seed % 3) * Math.floor(index / 50);
    if (element === 'bool') return BigInt(bits % 2);
    if (element === 'f32') {
      const awkward = AWKWARD_FLOATS[position % AWKWARD_FLOATS.length] ?? 0;
      const word =
        index % 2 === 0 ? awkward : ((bits % 64) + 95) * 2 ** 23 + (bits >>> 9) + (bits & 1) * 2 ** 31;
      return new Float32Array(Uint32Array.of(word).buffer)[0] ?? 0;
    }
    const awkward = AWKWARD_INTEGERS[position % AWKWARD_INTEGERS.length] ?? 0n;
    const wide = (BigInt(bits) << 32n) | BigInt(Math.floor(random() * 2 ** 32));
    return toClass(element, index % 2 === 0 ? awkward : BigInt.asIntN(64, wide) >> BigInt(bits % 63));
  });
}

function toClass(element: MapElement, value: bigint): bigint {
  const bits = element.endsWith('64') ? 64 : 32;
  return element.startsWith('i') ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
}

/** The words of a buffer that holds the values; NaN as a test compares it. */
function wordsOf(element: MapElement, values: Values): Uint32Array {
  if (element === 'f32') {
    const words = new Uint32Array(Float32Array.from(values, Number).buffer);
    return words.map((word) => ((word & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : word));
  }
  if (element.endsWith('64'))
    return new Uint32Array(BigUint64Array.from(values, (v) => BigInt.asUintN(64, BigInt(v))).buffer);
  return Uint32Array.from(values, (value) => Number(BigInt.asUintN(32, BigInt(value))));
}

const canonical = (element: MapElement, words: Uint32Array): Uint32Array =>
  element === 'f32' ? words.map((word) => ((word & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : word)) : words;

async function expectReference(problem: MapProblem, target = defaultCapabilities()): Promise<void> {
  const device = await testDevice();
  const { operands: classes, result } = problem.signature;
  const operands = problem.operands.map((dims, index) => ({
    dims,
    data: valuesOf(classes[index] ?? 'u32', countOf(dims), index + 1),
  }));
  const inputs = operands.map(
    ({ data }, index) => [`src${index}`, wordsOf(classes[index] ?? 'u32', data)] as const,
  );
  const expected = wordsOf(result, mapReference(problem.function, result, operands, problem.dims));
  const { plan } = selectMap(problem, target, OPTIONS);
  const { dst } = await runPlan(device, plan, {
    inputs: Object.fromEntries(inputs),
    outputs: { dst: { type: 'uint32', length: expected.length } },
  });
  const actual = canonical(result, dst);
  const wrong = [...expected.keys()].filter((index) => actual[index] !== expected[index]);
  const size = result.endsWith('64') ? 2 : 1;
  const rows = wrong.slice(0, 5).map((index) => {
    const at = Math.floor(index / size);
    return {
      at,
      operands: operands.map(({ data }) => data[at]),
      got: actual[index],
      expected: expected[index],
    };
  });
  expect(rows).toEqual([]);
}

describe('equals the reference', () => {
  test.each(MAP_CASES.map((entry) => [entry.name, entry.problem] as const))('%s', async (_, problem) => {
    await expectReference(problem, (await testDevice()).capabilities);
  });
});

test('folds its grid where a dimension takes few workgroups', async () => {
  const limits = { ...DEFAULT_LIMITS, maxComputeWorkgroupsPerDimension: 2 };
  const problem = makeMapProblem({ function: 'add', element: 'i64', operands: [[1201], [1201]] });
  await expectReference(problem, defaultCapabilities({ limits }));
});

test('every case compiles', async () => {
  const target = defaultCapabilities();
  await Promise.all(MAP_CASES.map(({ problem }) => compilePlan(selectMap(problem, target, OPTIONS).plan)));
});

test('bytes wrap as their type does, and bool results are bytes', async () => {
  const device = await testDevice();
  const lhs = Int8Array.of(127, -128, 100, -100, 1);
  const rhs = Int8Array.of(1, -1, 100, -100, 2);
  const problem = (name: 'add' | 'less') =>
    makeMapProblem({ function: name, element: 'i32', operands: [[5], [5]] });
  for (const [name, type, expected] of [
    ['add', 'int8', Int8Array.of(-128, 127, -56, 56, 3)],
    ['less', 'uint8', Uint8Array.of(0, 1, 0, 0, 1)],
  ] as const) {
    const { plan } = selectMap(problem(name), device.capabilities, OPTIONS);
    const stored = storeNarrow(plan, { src0: 'int8', src1: 'int8', dst: type }, device.capabilities);
    const outputs = { dst: { type, length: 5 } } as const;
    const { dst } = await runPlan(device, stored, {
      inputs: { src0: lhs, src1: rhs },
      outputs,
      partial: true,
    });
    expect(dst).toEqual(expected);
  }
});

test('halves are compared and tested by their numbers', async () => {
  const device = await testDevice();
  const halves = Uint16Array.of(0x7e01, 0x7c00, 0xfc00, 0x8000, 0x0001, 0x3c00);
  const others = Uint16Array.of(0x7e01, 0x7bff, 0x7c00, 0x0000, 0x0002, 0x3c00);
  for (const [name, expected] of [
    ['is-nan', [1, 0, 0, 0, 0, 0]],
    ['is-infinite', [0, 1, 1, 0, 0, 0]],
    ['equal', [0, 0, 0, 1, 0, 1]],
    ['less', [0, 0, 1, 0, 1, 0]],
  ] as const) {
    const operands = name.startsWith('is') ? [[6]] : [[6], [6]];
    const { plan } = selectMap(
      makeMapProblem({ function: name, element: 'f32', operands }),
      device.capabilities,
      OPTIONS,
    );
    const types = { src0: 'float16', src1: 'float16', dst: 'uint8' } as const;
    const inputs = operands.length === 1 ? { src0: halves } : { src0: halves, src1: others };
    const outputs = { dst: { type: 'uint8', length: 6 } } as const;
    const stored = storeNarrow(plan, types, { ...device.capabilities, float16: false });
    const { dst } = await runPlan(device, stored, { inputs, outputs, partial: true });
    expect([name, ...dst]).toEqual([name, ...expected]);
  }
});

test('a second size compiles nothing', () => {
  const text = (height: number, width: number): string | undefined => {
    const operands = [
      [height, width],
      [1, width],
    ];
    const problem = makeMapProblem({ function: 'mul', element: 'i64', operands });
    return selectMap(problem, defaultCapabilities(), OPTIONS).plan.passes[0]?.wgsl;
  };
  expect(text(5, 7)).toBe(text(50, 30));
});

test('refuses what has no meaning', () => {
  const make = (name: 'add' | 'not' | 'is-nan', element: MapElement, operands: number[][]): unknown =>
    makeMapProblem({ function: name, element, operands });
  expect(() => make('add', 'i32', [[2], [3]])).toThrow(/broadcast/);
  expect(() => make('add', 'i32', [[2]])).toThrow(/operands/);
  expect(() => make('add', 'f32', [[2], [2]])).toThrow(/element/);
  expect(() => make('is-nan', 'i32', [[2]])).toThrow(/element/);
  expect(() => make('not', 'i64', [[2]])).toThrow(/element/);
});
