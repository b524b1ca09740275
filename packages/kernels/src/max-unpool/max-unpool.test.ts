/** Max unpooling on the GPU: bit for bit, also where places are wanted twice, out of range or outside the output. */
import { type DispatchPlan, type OperandArray, storeNarrow } from '@onegpu/core';
import { expectExact, randomFill, runPlan, seededRandom, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { referenceMaxUnpool } from '../reference/max-unpool.ts';
import { elementCount } from '../shared/layout.ts';
import { MAX_UNPOOL_CASES } from './cases.ts';
import { type MaxUnpoolProblem, makeMaxUnpoolProblem } from './problem.ts';
import { MAX_UNPOOL_ALGORITHMS, planMaxUnpool } from './select.ts';

/** int64 as words, the low one first. */
function words(values: ArrayLike<number>): Int32Array {
  return Int32Array.from({ length: 2 * values.length }, (_, at) => {
    const value = values[at >> 1] ?? 0;
    return at % 2 === 0 ? value : value < 0 ? -1 : 0;
  });
}

/** Random places, some wanted twice, some out of range. */
function places(problem: MaxUnpoolProblem): Float64Array {
  const random = seededRandom(51);
  const inner = elementCount(problem.innerDims);
  return Float64Array.from({ length: problem.sources }, (_, at) =>
    at % 11 === 3 ? -1 : at % 13 === 5 ? inner + at : Math.floor(random() * inner),
  );
}

function moved<T extends OperandArray>(src: T, from: Float64Array): number[] {
  return Array.from(from, (at) => (at < 0 ? 0 : (src[at] ?? 0)));
}

async function planOf(problem: MaxUnpoolProblem, algorithm: string): Promise<DispatchPlan> {
  const target = (await testDevice()).capabilities;
  return planMaxUnpool(problem, target, { mode: 'deterministic', algorithm }).plan;
}

for (const { name: algorithm } of MAX_UNPOOL_ALGORITHMS) {
  describe(`max-unpool/${algorithm}`, () => {
    it.each(MAX_UNPOOL_CASES)('$name', async ({ problem }) => {
      const device = await testDevice();
      const plan = await planOf(problem, algorithm);
      const indices = places(problem);
      const from = referenceMaxUnpool(problem, indices);
      const src = randomFill(problem.sources, 52);
      const run = { inputs: { src, indices: words(indices) }, outputs: { dst: problem.outputs } };
      const { dst } = await runPlan(device, plan, run);
      expectExact(dst, Float32Array.from(moved(src, from)), problem.dstDims);

      const bytes = Int8Array.from(src, (value) => Math.round(value * 127));
      const narrow = storeNarrow(plan, { src: 'int8', dst: 'int8' }, device.capabilities);
      const narrowRun = await runPlan(device, narrow, {
        inputs: { src: bytes, indices: words(indices) },
        outputs: { dst: { type: 'int8', length: problem.outputs } },
      });
      expectExact(narrowRun.dst, Int8Array.from(moved(bytes, from)), problem.dstDims);
    });

    it('moves NaN, -0 and denormals', async () => {
      const problem = makeMaxUnpoolProblem({ dims: [1, 1, 3], indicesDims: [1, 1, 3], kernel: [2] });
      const src = Float32Array.of(Number.NaN, -0, -1e-45);
      const { dst } = await runPlan(await testDevice(), await planOf(problem, algorithm), {
        inputs: { src, indices: words([3, 2, 0]) },
        outputs: { dst: 4 },
      });
      expectExact(dst, Float32Array.of(-1e-45, 0, -0, Number.NaN), [4]);
    });

    it('gives the same bits at another offset', async () => {
      const problem = makeMaxUnpoolProblem({ dims: [1, 2, 37], indicesDims: [1, 2, 37], kernel: [2] });
      const indices = words(Array.from({ length: 74 }, (_, at) => at % 5));
      const src = randomFill(74, 53);
      const plan = await planOf(problem, algorithm);
      const run = async (arenaOffset: number) =>
        runPlan(await testDevice(), plan, {
          inputs: { src, indices },
          outputs: { dst: problem.outputs },
          arenaOffset,
        });
      expectExact((await run(512)).dst, (await run(0)).dst, problem.dstDims);
    });
  });
}

describe('max-unpool/problem', () => {
  it('refuses shapes that do not fit', () => {
    const dims = [1, 2, 5];
    const make = (request: Partial<Parameters<typeof makeMaxUnpoolProblem>[0]>) => () =>
      makeMaxUnpoolProblem({ dims, indicesDims: dims, kernel: [2], ...request });
    expect(make({ indicesDims: [1, 2, 4] })).toThrow(/indices/);
    expect(make({ outputShape: [1, 3, 9] })).toThrow(/output_shape/);
    expect(make({ outputShape: [9] })).toThrow(/output_shape/);
    expect(make({ kernel: [2, 2] })).toThrow(/kernel_shape/);
    expect(make({ dims: [1, 2], indicesDims: [1, 2], kernel: [] })).toThrow(/rank/);
  });
});
