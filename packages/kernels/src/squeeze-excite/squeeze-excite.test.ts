/** Squeeze-excite against float64, by every algorithm. */
import { defaultCapabilities, halfToNumber, numberToHalf } from '@onegpu/core';
import {
  expectEqual,
  expectExact,
  expectWithin,
  integerFill,
  randomFill,
  runPlan,
  sumTolerance,
  testDevice,
} from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { referenceSqueezeExcite, type SqueezeExciteOperands } from '../reference/squeeze-excite.ts';
import { ACTIVATION_ULP } from '../shared/activation.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import { layoutElements, packNhwc4, unpackNhwc4 } from '../shared/layout.ts';
import { chainTolerance } from '../shared/tolerance.ts';
import { SQUEEZE_EXCITE_CASES } from './cases.ts';
import { channelBlocksOf } from './channel-blocks.ts';
import type { SqueezeExciteProblem } from './problem.ts';
import { planSqueezeExcite, SQUEEZE_EXCITE_ALGORITHMS } from './select.ts';

type Fill = (length: number, seed: number) => Float32Array;
type Filled = { readonly [K in keyof SqueezeExciteOperands]: Float32Array };

function fillOperands(problem: SqueezeExciteProblem, fill: Fill): Filled {
  const { batch, channels, height, width, hidden, outputs, squeezeBias, exciteBias } = problem;
  return {
    src: fill(batch * channels * height * width, 1),
    squeezeWeights: fill(hidden * channels, 2),
    exciteWeights: fill(outputs * hidden, 3),
    ...(squeezeBias ? { squeezeBias: fill(hidden, 4) } : {}),
    ...(exciteBias ? { exciteBias: fill(outputs, 5) } : {}),
  } as Filled;
}

async function run(
  problem: SqueezeExciteProblem,
  { src, ...operands }: Filled,
  algorithm: Algorithm<SqueezeExciteProblem>,
  place: { arenaOffset?: number; half?: boolean; workgroupLimit?: number } = {},
): Promise<Float32Array> {
  const device = await testDevice();
  const { batch, channels, height, width, outputs } = problem;
  const { workgroupLimit, ...rest } = place;
  const limits = { ...device.capabilities.limits };
  const target = {
    ...device.capabilities,
    limits: {
      ...limits,
      maxComputeWorkgroupsPerDimension: workgroupLimit ?? limits.maxComputeWorkgroupsPerDimension,
    },
  };
  const plan = algorithm.plan(problem, target, { mode: 'deterministic' });
  const dims = [batch, outputs, 1, 1];
  const length = layoutElements(dims, 'nhwc4');
  if (length === 0) {
    expect(plan.passes.every((pass) => pass.workgroups.includes(0))).toBe(true);
    return new Float32Array(0);
  }
  const inputs = { src: packNhwc4(src, [batch, channels, height, width]), ...operands };
  const { dst } = await runPlan(device, plan, { inputs, outputs: { dst: length }, ...rest });
  const dense = unpackNhwc4(dst, dims);
  expectEqual(dst, packNhwc4(dense, dims), [dst.length]);
  return dense;
}

const smallIntegers: Fill = (length, seed) => integerFill(length, seed, -2, 2);

const TESTED = [...SQUEEZE_EXCITE_ALGORITHMS, channelBlocksOf('channel-blocks of 3 pixels', 3)];
const target = defaultCapabilities({ software: false });

/** Plans made of kernels with tests of their own run a few cases. */
function sampled({ name }: Algorithm<SqueezeExciteProblem>, row: string): boolean {
  if (name === 'one-workgroup' || name === 'channel-blocks') return true;
  return /^(counts|512 pixels|without activations|no images)/.test(row);
}

describe.each(TESTED.map((entry) => [entry.name, entry] as const))('%s', (_, algorithm) => {
  const taken = SQUEEZE_EXCITE_CASES.filter(
    ({ name, problem }) => algorithm.impossible(problem, target) === undefined && sampled(algorithm, name),
  );
  const [, small] = taken;

  it.each(taken)('$name', async ({ problem }) => {
    const dims = [problem.batch, problem.outputs];
    const exact = fillOperands(problem, smallIntegers);
    const { channels, hidden, height, width } = problem;
    const chain = (terms: number) => sumTolerance({ terms, activationUlp: ACTIVATION_ULP });
    const tolerance = chainTolerance([chain(height * width), chain(channels), chain(hidden)]);
    expectWithin(
      await run(problem, exact, algorithm),
      referenceSqueezeExcite(problem, exact),
      tolerance,
      dims,
    );
    const real = fillOperands(problem, randomFill);
    expectWithin(await run(problem, real, algorithm), referenceSqueezeExcite(problem, real), tolerance, dims);
  });

  it('is exact on integers without activations', async () => {
    const { problem } = taken.find(({ name }) => name === 'without activations') ?? { problem: undefined };
    if (problem === undefined) throw new Error('the case is gone');
    const exact = fillOperands(problem, smallIntegers);
    expectEqual(await run(problem, exact, algorithm), referenceSqueezeExcite(problem, exact), [
      problem.outputs,
    ]);
    const stored = Float32Array.from(referenceSqueezeExcite(problem, exact), (sum) =>
      halfToNumber(numberToHalf(sum)),
    );
    expectEqual(await run(problem, exact, algorithm, { half: true }), stored, [problem.outputs]);
  });

  it('gives the same bits at another offset and in a folded grid', async () => {
    if (small === undefined) throw new Error('the case is gone');
    const { problem } = small;
    const real = fillOperands(problem, randomFill);
    const here = await run(problem, real, algorithm);
    const dims = [problem.batch, problem.outputs];
    expectExact(await run(problem, real, algorithm, { arenaOffset: 512 }), here, dims);
    expectExact(await run(problem, real, algorithm, { workgroupLimit: 2 }), here, dims);
  });
});

it('chooses by adapter and size', () => {
  const [first] = SQUEEZE_EXCITE_CASES;
  if (first === undefined) throw new Error('no case');
  const chosen = (problem: SqueezeExciteProblem, software = false) =>
    planSqueezeExcite(problem, defaultCapabilities({ software }), { mode: 'fast' }).algorithm;
  expect(chosen(first.problem)).toBe('one-workgroup');
  expect(chosen({ ...first.problem, height: 64, width: 64 })).toBe('channel-blocks');
  expect(chosen({ ...first.problem, weightsConstant: false })).toBe('separate');
  expect(chosen({ ...first.problem, height: 0 })).toBe('separate');
  expect(chosen(first.problem, true)).toBe('separate');
});

it('another picture size compiles nothing', () => {
  const [first] = SQUEEZE_EXCITE_CASES;
  if (first === undefined) throw new Error('no case');
  const larger = { ...first.problem, batch: 3, height: 13, width: 9 };
  for (const algorithm of SQUEEZE_EXCITE_ALGORITHMS.slice(0, 2)) {
    const texts = [first.problem, larger].map((problem) =>
      algorithm.plan(problem, target, { mode: 'fast' }).passes.map((pass) => pass.wgsl),
    );
    expect(texts[0]).toEqual(texts[1]);
  }
});
