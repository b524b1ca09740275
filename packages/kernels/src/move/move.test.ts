/** Moving kernels on the GPU, bit for bit: NaN with payloads, both zeros, infinities and subnormals among the data. */
import { DEFAULT_LIMITS, defaultCapabilities } from '@onegpu/core';
import { runPlan, seededRandom, testDevice } from '@onegpu/testing';
import { describe, expect, test } from 'vitest';
import { concatReference, fromCoordinates, wordAt } from '../reference/move.ts';
import { layoutElements, packNhwc4 } from '../shared/layout.ts';
import {
  MOVE_ALGORITHMS,
  MOVE_CASES,
  MOVE_PAIR_ALGORITHMS,
  makeConcatProblem,
  makeConvertLayoutProblem,
  makePadProblem,
  makeSliceProblem,
  makeTransposeProblem,
  moveElements,
  planConcat,
  planConvertLayout,
  planSplit,
  selectMove,
  viewIndices,
} from './index.ts';

const AWKWARD = [0x7fc12345, 0xffc00001, 0x7f812345, 0x80000000, 0, 1, 0x807fffff, 0x7f800000, 0xff800000];

/** Random words, every third an awkward one. */
function words(count: number, seed: number): Uint32Array {
  const random = seededRandom(seed);
  return Uint32Array.from({ length: count }, (_, index) =>
    index % 3 === 0 ? (AWKWARD[(index / 3) % AWKWARD.length] ?? 0) : Math.floor(random() * 2 ** 32),
  );
}

const countOf = (dims: readonly number[]): number => dims.reduce((product, extent) => product * extent, 1);
const output = (length: number) => ({ type: 'uint32', length }) as const;

describe.each(MOVE_CASES.map((entry) => [entry.name, entry] as const))('%s', (_, entry) => {
  const { problem, source } = entry;
  const src = words(countOf(problem.srcDims), 7);
  const expected = fromCoordinates(entry.dims, (coordinates) => {
    const from = source(coordinates);
    return from === undefined ? problem.fill : wordAt(src, problem.srcDims, from);
  });

  test('has the extents of its definition', () => {
    expect(problem.dims).toEqual(entry.dims);
  });

  test('on the host', () => {
    const moved = Uint32Array.from(viewIndices(problem), (at) => (at < 0 ? problem.fill : (src[at] ?? 0)));
    expect(moved).toEqual(expected);
  });

  test.each(MOVE_ALGORITHMS.map((algorithm) => algorithm.name))('%s', async (algorithm) => {
    const device = await testDevice();
    const { plan } = selectMove(problem, device.capabilities, { mode: 'fast', algorithm });
    const length = moveElements(problem);
    const { dst } = await runPlan(device, plan, { inputs: { src }, outputs: { dst: output(length) } });
    expect(dst).toEqual(expected);
  });

  test.each(MOVE_PAIR_ALGORITHMS.map((algorithm) => algorithm.name))('%s over 64 bits', async (algorithm) => {
    const device = await testDevice();
    const filled = { ...problem, fillHigh: 0x81234567 };
    const options = { mode: 'fast', algorithm, element: 'vec2u' } as const;
    const { plan } = selectMove(filled, device.capabilities, options);
    const indices = viewIndices(problem);
    const pairs = words(2 * countOf(problem.srcDims), 8);
    const wanted = new Uint32Array(2 * indices.length);
    indices.forEach((from, to) => {
      wanted[2 * to] = from < 0 ? filled.fill : (pairs[2 * from] ?? 0);
      wanted[2 * to + 1] = from < 0 ? filled.fillHigh : (pairs[2 * from + 1] ?? 0);
    });
    const outputs = { dst: output(wanted.length) };
    const { dst } = await runPlan(device, plan, { inputs: { src: pairs }, outputs });
    expect(dst).toEqual(wanted);
  });
});

describe('concat', () => {
  const cases = [
    [
      'the first axis',
      [
        [2, 3, 5],
        [1, 3, 5],
      ],
      0,
      'nchw',
    ],
    [
      'a middle axis, one input empty',
      [
        [2, 3, 5],
        [2, 0, 5],
        [2, 4, 5],
      ],
      1,
      'nchw',
    ],
    ['the last axis, one input alone', [[2, 3, 5]], -1, 'nchw'],
    ['twelve inputs', Array.from({ length: 12 }, (_, i) => [2, 1 + (i % 3), 3]), 1, 'nchw'],
    [
      'channel groups',
      [
        [2, 8, 5, 7],
        [2, 4, 5, 7],
      ],
      1,
      'nhwc4',
    ],
    ['twelve inputs of channel groups', Array.from({ length: 12 }, () => [1, 4, 3, 5]), 1, 'nhwc4'],
    [
      'nothing at all',
      [
        [2, 0],
        [2, 0],
      ],
      1,
      'nchw',
    ],
  ] as const;

  test.each(cases)('%s', async (_, inputs, axis, layout) => {
    const device = await testDevice();
    const problem = makeConcatProblem({ inputs, axis, layout });
    const data = inputs.map((dims, index) => words(countOf(dims), index));
    const dense = inputs.map((dims, index) => ({ data: data[index] ?? new Uint32Array(), dims }));
    const reference = concatReference(dense, axis < 0 ? axis + problem.dims.length : axis, problem.dims);
    const arrange = (words: Uint32Array, dims: readonly number[]): Uint32Array =>
      layout === 'nhwc4' ? packWords(words, dims) : words;
    const present = inputs.flatMap((dims, i) =>
      countOf(dims) === 0 ? [] : [[`src${i}`, arrange(data[i] ?? new Uint32Array(), dims)] as const],
    );
    const { dst } = await runPlan(device, planConcat(problem, device.capabilities), {
      inputs: Object.fromEntries(present),
      outputs: { dst: output(layoutElements(problem.dims, layout)) },
    });
    expect(dst).toEqual(arrange(reference, problem.dims));
  });

  test('pairs of words', async () => {
    const device = await testDevice();
    const inputs = [
      [2, 3, 5],
      [2, 4, 5],
    ];
    const data = inputs.map((dims, index) => words(2 * countOf(dims), index));
    const problem = makeConcatProblem({ inputs, axis: 1, layout: 'nchw' });
    const { dst } = await runPlan(device, planConcat(problem, device.capabilities, 'vec2u'), {
      inputs: Object.fromEntries(data.map((entry, index) => [`src${index}`, entry])),
      outputs: { dst: output(2 * countOf(problem.dims)) },
    });
    const dense = inputs.map((dims, index) => ({
      data: data[index] ?? new Uint32Array(),
      dims: [...dims, 2],
    }));
    expect(dst).toEqual(concatReference(dense, 1, [...problem.dims, 2]));
  });

  test('splits into passes where few buffers may be bound', async () => {
    const device = await testDevice();
    const limits = {
      ...DEFAULT_LIMITS,
      maxStorageBuffersPerShaderStage: 3,
      maxComputeWorkgroupsPerDimension: 2,
    };
    const inputs = Array.from({ length: 5 }, () => [3, 70, 5]);
    const problem = makeConcatProblem({ inputs, axis: 1, layout: 'nchw' });
    const plan = planConcat(problem, defaultCapabilities({ limits }));
    expect(plan.passes.map((pass) => pass.bindings.length)).toEqual([3, 3, 2]);
    const data = inputs.map((dims, index) => words(countOf(dims), index));
    const { dst } = await runPlan(device, plan, {
      inputs: Object.fromEntries(data.map((entry, index) => [`src${index}`, entry])),
      outputs: { dst: output(countOf(problem.dims)) },
    });
    const dense = inputs.map((dims, index) => ({ data: data[index] ?? new Uint32Array(), dims }));
    expect(dst).toEqual(concatReference(dense, 1, problem.dims));
  });

  test('refuses what does not fit', () => {
    const make = (inputs: readonly (readonly number[])[], axis: number, layout: 'nchw' | 'nhwc4' = 'nchw') =>
      makeConcatProblem({ inputs, axis, layout });
    expect(() => make([], 0)).toThrow(/at least one/);
    expect(() =>
      make(
        [
          [2, 3],
          [3, 3],
        ],
        1,
      ),
    ).toThrow(/off axis 1/);
    expect(() => make([[2, 3]], 2)).toThrow(/axis/);
    expect(() =>
      make(
        [
          [1, 3, 2, 2],
          [1, 4, 2, 2],
        ],
        1,
        'nhwc4',
      ),
    ).toThrow(/multiples of 4/);
  });
});

/** `packNhwc4` on words: moved as halves, since a Float32Array may change the bits of a NaN. */
function packWords(data: Uint32Array, dims: readonly number[]): Uint32Array {
  const part = (shift: number): Float32Array =>
    packNhwc4(
      Float32Array.from(data, (word) => (word >>> shift) & 0xffff),
      dims,
    );
  const high = part(16);
  return Uint32Array.from(part(0), (low, index) => low + (high[index] ?? 0) * 2 ** 16);
}

describe.each([
  [[2, 3, 11]],
  [[2, 6, 5, 7]],
  [[1, 8, 3, 5]],
  [[1, 1, 7, 11]],
  [[1, 5, 2, 3, 5]],
  [[0, 5, 3]],
])('layout of [%s]', (dims) => {
  test('there and back', async () => {
    const device = await testDevice();
    const dense = words(countOf(dims), 3);
    const there = await runPlan(
      device,
      planConvertLayout(makeConvertLayoutProblem(dims, 'nhwc4'), device.capabilities),
      { inputs: { src: dense }, outputs: { dst: output(layoutElements(dims, 'nhwc4')) } },
    );
    expect(there.dst).toEqual(packWords(dense, dims));
    const back = await runPlan(
      device,
      planConvertLayout(makeConvertLayoutProblem(dims, 'nchw'), device.capabilities),
      { inputs: { src: there.dst }, outputs: { dst: output(dense.length) } },
    );
    expect(back.dst).toEqual(dense);
  });
});

test('split writes every part', async () => {
  const device = await testDevice();
  const src = words(2 * 7 * 3, 5);
  const plan = planSplit({ srcDims: [2, 7, 3], axis: 1, sizes: [2, 0, 5] }, device.capabilities);
  const { dst0, dst2 } = await runPlan(device, plan, {
    inputs: { src },
    outputs: { dst0: output(12), dst1: output(0), dst2: output(30) },
  });
  const part = (start: number, size: number): Uint32Array =>
    fromCoordinates([2, size, 3], ([a = 0, b = 0, c = 0]) => wordAt(src, [2, 7, 3], [a, b + start, c]));
  expect(dst0).toEqual(part(0, 2));
  expect(dst2).toEqual(part(2, 5));
});

test('neighbouring axes that move alike are merged', () => {
  expect(makeTransposeProblem([2, 3, 5, 7], [0, 2, 3, 1]).axes).toHaveLength(3);
  expect(makeSliceProblem({ srcDims: [2, 3, 5], starts: [0], ends: [1] }).axes).toHaveLength(1);
});

test('refuses arguments that do not fit, naming operator and field', () => {
  expect(() => makeTransposeProblem([2, 3], [0, 0])).toThrow(/transpose\.perm/);
  expect(() => makeSliceProblem({ srcDims: [2], starts: [0], ends: [1], steps: [0] })).toThrow(
    /slice\.steps/,
  );
  expect(() => makeSliceProblem({ srcDims: [2], starts: [0], ends: [1], axes: [1] })).toThrow(/slice\.axis/);
  expect(() => makePadProblem({ srcDims: [2], before: [-2], after: [-1], mode: 'constant' })).toThrow(/pad/);
  expect(() => makePadProblem({ srcDims: [0], before: [1], after: [0], mode: 'edge' })).toThrow(/empty/);
});
