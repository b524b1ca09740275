/** Channel counts of the operators that keep their channels: pooling, its global forms, Resize, LRN; both layouts. */
import { type DispatchPlan, storeNarrow } from '@onegpu/core';
import {
  expectEqual,
  expectExact,
  expectWithin,
  integerFill,
  runPlan,
  sumTolerance,
  testDevice,
} from '@onegpu/testing';
import { makeLrnProblem } from '../../src/lrn/problem.ts';
import { LRN_ALGORITHMS } from '../../src/lrn/select.ts';
import {
  makeGlobalPoolProblem,
  makePoolProblem,
  type PoolOperation,
  type PoolProblem,
} from '../../src/pool/problem.ts';
import { POOL_ALGORITHMS } from '../../src/pool/select.ts';
import { REDUCE_ALGORITHMS } from '../../src/reduce/select.ts';
import { referenceLrn } from '../../src/reference/lrn.ts';
import { referencePool, referencePoolIndices } from '../../src/reference/pool.ts';
import { referenceReduce } from '../../src/reference/reduce.ts';
import { referenceResize } from '../../src/reference/resize.ts';
import { lrnSum, poolSum, reduceSum } from '../../src/reference/sums.ts';
import { toInteger } from '../../src/resize/element.ts';
import { makeResizeProblem, type ResizeProblem } from '../../src/resize/problem.ts';
import { RESIZE_ALGORITHMS } from '../../src/resize/select.ts';
import { elementCount, type Layout } from '../../src/shared/layout.ts';
import { runInLayout } from '../run-in-layout.ts';
import { describeChannels, EQUAL_CHANNELS, smallIntegers } from './counts.ts';

interface Keeping {
  readonly layout: Layout;
  readonly srcDims: readonly number[];
  readonly dstDims: readonly number[];
}

function runKeeping({ layout, srcDims, dstDims }: Keeping, plan: DispatchPlan, src: Float32Array) {
  return runInLayout(plan, { layout, inputs: { src: { data: src, dims: srcDims } }, dstDims });
}

/** Quotients of a power of two are exact; roots and powers are not. */
function expectSums(
  got: Float32Array,
  expected: Float64Array,
  { dstDims, tolerance }: { dstDims: readonly number[]; tolerance: number | undefined },
): void {
  const rounded = Float32Array.from(expected);
  if (tolerance === undefined) expectEqual(got, rounded, dstDims);
  else expectWithin(got, rounded, tolerance, dstDims);
}

/** A window that slides, one as large as the map, and one over padding alone: one for each algorithm. */
const POOLS = [
  { dims: [3, 2], kernel: [2, 2] },
  { dims: [2, 2], kernel: [2, 2] },
  { dims: [0, 2], kernel: [2, 1], pads: [1, 0, 1, 0] },
];

/** A workgroup folds pixels of nhwc4; norms have a kernel of their own. */
function takesGlobal(algorithm: string, operation: PoolOperation, layout: Layout): boolean {
  return algorithm !== 'workgroup-fold' || (layout === 'nhwc4' && operation !== 'lp');
}

const WEIGHING = { 'two-tap': 6, 'gather-taps': 6, 'gather-axes': 6 };

async function checkPool(problem: PoolProblem, plan: DispatchPlan): Promise<void> {
  const src = smallIntegers(elementCount(problem.srcDims), 1);
  const tolerance = problem.operation === 'lp' ? sumTolerance(poolSum(problem)) : undefined;
  const got = await runKeeping(problem, plan, src);
  expectSums(got, referencePool(problem, src), { dstDims: problem.dstDims, tolerance });
}

function pools(operation: PoolOperation, layout: Layout, channels: number): PoolProblem[] {
  return POOLS.map(({ dims, ...window }) =>
    makePoolProblem({ operation, layout, dims: [2, channels, ...dims], ...window }),
  );
}

for (const layout of ['nhwc4', 'nchw'] as const) {
  for (const operation of ['max', 'average', 'lp'] as const) {
    describeChannels<PoolProblem>({
      name: `${operation} pooling, ${layout}`,
      algorithms: POOL_ALGORITHMS.filter(({ name }) => operation !== 'lp' || name !== 'whole-map'),
      pairs: EQUAL_CHANNELS,
      problems: (channels) => pools(operation, layout, channels),
      check: checkPool,
      ...(layout === 'nhwc4' ? { every: { direct: 6 } } : {}),
    });

    describeChannels({
      name: `global ${operation} pooling, ${layout}`,
      algorithms: REDUCE_ALGORITHMS.filter(({ name }) => takesGlobal(name, operation, layout)),
      pairs: EQUAL_CHANNELS,
      problems: (channels) => [makeGlobalPoolProblem({ operation, layout, dims: [2, channels, 2, 2] })],
      check: async (problem, plan) => {
        const src = smallIntegers(elementCount(problem.srcDims), 1);
        const tolerance = operation === 'lp' ? sumTolerance(reduceSum(problem)) : undefined;
        const got = await runKeeping(problem, plan, src);
        expectSums(got, referenceReduce(problem, src), { dstDims: problem.dstDims, tolerance });
      },
    });
  }

  for (const mode of ['nearest', 'linear', 'cubic'] as const) {
    const moving = /^move-/;
    describeChannels<ResizeProblem>({
      name: `${mode} Resize, ${layout}`,
      algorithms: RESIZE_ALGORITHMS.filter(
        ({ name }) =>
          name !== 'gather-integers' &&
          (mode === 'nearest') === moving.test(name) &&
          (mode !== 'cubic' || name !== 'two-tap'),
      ),
      pairs: EQUAL_CHANNELS,
      // Twice the pixels: weights are short binary fractions, so that sums are exact.
      problems: (channels) => [
        makeResizeProblem({
          ...{ dims: [2, channels, 2, 3], scales: [1, 1, 2, 2], layout, sampling: { mode } },
        }),
      ],
      check: async (problem, plan) => {
        const src = smallIntegers(elementCount(problem.srcDims), 1);
        const expected = Float32Array.from(referenceResize(problem, src));
        expectEqual(await runKeeping(problem, plan, src), expected, problem.dstDims);
      },
      ...(layout === 'nhwc4' ? { every: WEIGHING } : {}),
    });
  }

  describeChannels({
    name: `LRN, ${layout}`,
    algorithms: LRN_ALGORITHMS,
    pairs: EQUAL_CHANNELS,
    problems: (channels) => [makeLrnProblem({ dims: [2, channels, 1, 3], size: 5, alpha: 1, layout })],
    check: async (problem, plan) => {
      const { dims } = problem;
      const src = smallIntegers(elementCount(dims), 1);
      const got = await runKeeping({ layout, srcDims: dims, dstDims: dims }, plan, src);
      expectWithin(got, referenceLrn(problem, src), sumTolerance(lrnSum(problem)), dims);
    },
    every: { direct: 6 },
  });
}

for (const indices of ['row-major', 'column-major'] as const) {
  describeChannels<PoolProblem>({
    name: `max pooling with ${indices} indices`,
    algorithms: POOL_ALGORITHMS.filter(({ name }) => name === 'direct'),
    pairs: EQUAL_CHANNELS,
    problems: (channels) => [
      makePoolProblem({ operation: 'max', dims: [2, channels, 3, 2], kernel: [2, 1], indices }),
    ],
    check: async (problem, plan) => {
      const src = smallIntegers(elementCount(problem.srcDims), 1);
      const length = elementCount(problem.dstDims);
      const results = await runPlan(await testDevice(), plan, {
        inputs: { src },
        outputs: { dst: length, indices: { type: 'int32', length: 2 * length } },
      });
      const low = results.indices.filter((_, word) => word % 2 === 0);
      expectExact(low, referencePoolIndices(problem, src), problem.dstDims);
    },
  });
}

describeChannels<ResizeProblem>({
  name: 'Resize of bytes',
  algorithms: RESIZE_ALGORITHMS.filter(({ name }) => name === 'gather-integers'),
  pairs: EQUAL_CHANNELS,
  problems: (channels) => [
    makeResizeProblem({
      ...{ dims: [1, channels, 2, 3], scales: [1, 1, 2, 2], element: 'uint8', sampling: { mode: 'linear' } },
    }),
  ],
  check: async (problem, plan) => {
    const device = await testDevice();
    const src = Uint8Array.from(integerFill(elementCount(problem.srcDims), 1, 0, 255));
    const narrow = storeNarrow(plan, { src: 'uint8', dst: 'uint8' }, device.capabilities);
    const length = elementCount(problem.dstDims);
    const outputs = { dst: { type: 'uint8', length } } as const;
    const { dst } = await runPlan(device, narrow, { inputs: { src }, outputs, partial: true });
    expectExact(
      dst,
      Uint8Array.from(referenceResize(problem, src), (value) => toInteger(value, 'uint8')),
      [length],
    );
  },
});
