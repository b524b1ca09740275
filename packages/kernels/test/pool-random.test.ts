/**
 * Random problems of pooling, unpooling and local response normalisation against float64, every algorithm that takes
 * them; the same bits at another offset. Reproducible by seed.
 */
import { type OperandArray, storeNarrow } from '@onegpu/core';
import { expectExact, expectWithin, randomFill, runPlan, sumTolerance, testDevice } from '@onegpu/testing';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import {
  layoutElements,
  makeLrnProblem,
  makePoolProblem,
  POOL_ALGORITHMS,
  type PoolProblem,
  type PoolRequest,
  packNhwc4,
  planLrn,
  unpackNhwc4,
} from '../src/index.ts';
import { referenceLrn } from '../src/reference/lrn.ts';
import { referencePool, referencePoolIndices } from '../src/reference/pool.ts';
import { lrnSum, poolSum } from '../src/reference/sums.ts';
import type { Algorithm } from '../src/shared/algorithm.ts';
import { type FloatStorage, stored, sumBound } from './check-sums.ts';
import { describeSweep, FLOAT_STORAGES, SWEEP_TIMEOUT, sweepParameters } from './sweep.ts';

const LRN_PARAMETERS = sweepParameters({ runs: 20, seed: 20260 });

const axis = fc.record({
  extent: fc.oneof(
    { weight: 7, arbitrary: fc.integer({ min: 1, max: 9 }) },
    { weight: 1, arbitrary: fc.constant(0) },
  ),
  kernel: fc.integer({ min: 1, max: 4 }),
  stride: fc.integer({ min: 1, max: 3 }),
  dilation: fc.integer({ min: 1, max: 3 }),
  before: fc.integer({ min: 0, max: 3 }),
  after: fc.integer({ min: 0, max: 3 }),
});

const pools: fc.Arbitrary<PoolRequest> = fc
  .record({
    operation: fc.constantFrom('max', 'max', 'average', 'lp'),
    layout: fc.constantFrom('nchw', 'nhwc4'),
    element: fc.constantFrom('float32', 'int8', 'uint8'),
    axes: fc.array(axis, { minLength: 1, maxLength: 3 }),
    batch: fc.integer({ min: 0, max: 2 }),
    channels: fc.integer({ min: 1, max: 9 }),
    autoPad: fc.constantFrom('NOTSET', 'NOTSET', 'VALID', 'SAME_UPPER', 'SAME_LOWER'),
    ceilMode: fc.boolean(),
    countIncludePad: fc.boolean(),
    power: fc.constantFrom(1, 2, 3, 7),
    indices: fc.constantFrom(undefined, 'row-major', 'column-major'),
    whole: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ axes, batch, channels, autoPad, element, indices, whole, ...rest }): PoolRequest => {
    const covers = whole === 0;
    const padded = autoPad === 'NOTSET' && !covers;
    const max = rest.operation === 'max';
    return {
      ...rest,
      element: max ? element : 'float32',
      indices: max && rest.layout === 'nchw' ? indices : undefined,
      autoPad,
      dims: [batch, channels, ...axes.map(({ extent }) => extent)],
      kernel: axes.map(({ extent, kernel }) => (covers ? Math.max(extent, 1) : kernel)),
      strides: axes.map(({ stride }) => stride),
      dilations: axes.map(({ dilation }) => (covers ? 1 : dilation)),
      ...(padded ? { pads: [...axes.map(({ before }) => before), ...axes.map(({ after }) => after)] } : {}),
    };
  })
  .filter((request) => isLegal(request));

/** Windows larger than the padded input are refused. */
function isLegal(request: PoolRequest): boolean {
  try {
    makePoolProblem(request);
    return true;
  } catch {
    return false;
  }
}

/** Over float16 whatever the element of the problem is. */
async function checkPool(
  drawn: PoolProblem,
  entry: Algorithm<PoolProblem>,
  storage: FloatStorage,
): Promise<void> {
  const device = await testDevice();
  const half = storage === 'float16';
  const problem: PoolProblem = half ? { ...drawn, element: 'float16' } : drawn;
  const { element, layout, srcDims, dstDims, indices } = problem;
  const plan = entry.plan(problem, device.capabilities, { mode: 'deterministic' });
  const narrow = element === 'int8' || element === 'uint8' ? element : undefined;
  const types = narrow === undefined ? {} : { src: narrow, dst: narrow };
  const src = sourceOf(problem, storage);
  const length = layoutElements(dstDims, layout);
  const run = async (arenaOffset: number): Promise<Record<string, OperandArray>> =>
    runPlan(device, storeNarrow(plan, types, device.capabilities), {
      inputs: { src: layout === 'nchw' ? src : packNhwc4(src, srcDims) },
      outputs: {
        dst: { type: narrow ?? 'float32', length },
        ...(indices === undefined ? {} : { indices: { type: 'int32', length: 2 * length } }),
      },
      ...{ arenaOffset, half },
    });
  const found = await run(0);
  const values = found.dst ?? new Float32Array(0);
  expectPooled(layout === 'nchw' ? values : unpackNhwc4(values, dstDims), { problem, src, storage });
  if (indices !== undefined) {
    const places = referencePoolIndices(problem, src);
    const words = Int32Array.from({ length: 2 * length }, (_, at) => {
      const place = places[at >> 1] ?? 0;
      return at % 2 === 0 || place < 0 ? place : 0;
    });
    expectExact(found.indices ?? [], words, [2 * length]);
  }
  const again = await run(256);
  for (const [operand, data] of Object.entries(found)) expectExact(again[operand] ?? [], data, [data.length]);
}

function sourceOf({ element, srcDims }: PoolProblem, storage: FloatStorage): OperandArray {
  const floats = randomFill(layoutElements(srcDims, 'nchw'), 61, -3, 3);
  if (element === 'int8') return Int8Array.from(floats, (value) => Math.round(value * 42));
  if (element === 'uint8') return Uint8Array.from(floats, (value) => Math.round(value * 42 + 128));
  return stored(floats, storage);
}

/** Maxima bit for bit; sums within their bound, means against the walk of at most as many terms as the window has. */
function expectPooled(
  dst: ArrayLike<number>,
  { problem, src, storage }: { problem: PoolProblem; src: OperandArray; storage: FloatStorage },
): void {
  const { dstDims, operation, depth, height, width } = problem;
  const expected = referencePool(problem, src);
  if (operation === 'max') {
    expectExact(Float32Array.from(dst), Float32Array.from(expected), dstDims);
    return;
  }
  const taps = depth.kernel * height.kernel * width.kernel;
  const means = referencePool(
    problem,
    Float64Array.from(src, (value) => value ** 2),
  );
  const squares = operation === 'average' ? means.map((mean) => mean / taps) : new Float64Array(0);
  const bound = sumBound(expected, squares, { sum: poolSum(problem), storage });
  expectWithin(dst, expected, bound, dstDims);
}

describeSweep({
  name: 'pool',
  algorithms: POOL_ALGORITHMS,
  problems: pools.map((request) => makePoolProblem(request)),
  ...{ storages: FLOAT_STORAGES, runs: 48, seed: 20260 },
  check: checkPool,
});

describe('random problems', () => {
  it('local response normalisation', { timeout: SWEEP_TIMEOUT }, async () => {
    const target = (await testDevice()).capabilities;
    const problems = fc.record({
      layout: fc.constantFrom('nchw' as const, 'nhwc4' as const),
      dims: fc.tuple(
        fc.integer({ min: 0, max: 2 }),
        fc.integer({ min: 1, max: 19 }),
        fc.integer({ min: 1, max: 7 }),
      ),
      size: fc.integer({ min: 1, max: 21 }),
      alpha: fc.constantFrom(1e-4, 0.5, 3),
      beta: fc.constantFrom(0.5, 0.75, 1, 2),
      bias: fc.constantFrom(0.5, 1, 2),
    });
    await fc.assert(
      fc.asyncProperty(problems, async (request) => {
        const problem = makeLrnProblem(request);
        const { dims, layout } = problem;
        const { plan } = planLrn(problem, target, { mode: 'deterministic' });
        const src = randomFill(layoutElements(dims, 'nchw'), 62, -3, 3);
        const { dst } = await runPlan(await testDevice(), plan, {
          inputs: { src: layout === 'nchw' ? src : packNhwc4(src, dims) },
          outputs: { dst: layoutElements(dims, layout) },
        });
        const dense = layout === 'nchw' ? dst : unpackNhwc4(dst, dims);
        expectWithin(dense, referenceLrn(problem, src), sumTolerance(lrnSum(problem)), dims);
      }),
      LRN_PARAMETERS,
    );
  });
});
