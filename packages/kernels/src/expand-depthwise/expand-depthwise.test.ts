/** Expansion with depthwise convolution against float64, by every algorithm. */
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
import { convDstElements, convTerms } from '../conv/problem.ts';
import { referenceConv } from '../reference/conv.ts';
import { ACTIVATION_ULP } from '../shared/activation.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import { packNhwc4, unpackNhwc4 } from '../shared/layout.ts';
import { chainTolerance } from '../shared/tolerance.ts';
import { EXPAND_DEPTHWISE_CASES } from './cases.ts';
import { mapBandsOf } from './map-bands.ts';
import type { ExpandDepthwiseProblem } from './problem.ts';
import { EXPAND_DEPTHWISE_ALGORITHMS, planExpandDepthwise } from './select.ts';

type Fill = (length: number, seed: number) => Float32Array;

function fillOperands({ expand, depthwise }: ExpandDepthwiseProblem, fill: Fill) {
  const { batch, ic, ih, iw, oc } = expand;
  return {
    src: fill(batch * ic * ih * iw, 1),
    expandWeights: fill(oc * ic, 2),
    weights: fill(oc * convTerms(depthwise), 3),
    ...(expand.epilogue.bias ? { expandBias: fill(oc, 4), bias: fill(oc, 5) } : {}),
  };
}

type Filled = ReturnType<typeof fillOperands>;

function reference({ expand, depthwise }: ExpandDepthwiseProblem, operands: Filled): Float64Array {
  const { src, expandWeights, weights, expandBias, bias } = operands;
  const wide = referenceConv(expand, { src, weights: expandWeights, bias: expandBias });
  return referenceConv(depthwise, { src: wide, weights, bias });
}

async function run(
  problem: ExpandDepthwiseProblem,
  { src, ...operands }: Filled,
  algorithm: Algorithm<ExpandDepthwiseProblem>,
  place: { arenaOffset?: number; half?: boolean } = {},
): Promise<Float32Array> {
  const { expand, depthwise } = problem;
  const device = await testDevice();
  const plan = algorithm.plan(problem, device.capabilities, { mode: 'deterministic' });
  if (convDstElements(depthwise) === 0) return new Float32Array(0);
  const { batch, ic, ih, iw } = expand;
  const inputs = { src: packNhwc4(src, [batch, ic, ih, iw]), ...operands };
  const { dst } = await runPlan(device, plan, {
    ...{ inputs, outputs: { dst: convDstElements(depthwise) } },
    ...place,
  });
  const dims = dimsOf(problem);
  const dense = unpackNhwc4(dst, dims);
  expectEqual(dst, packNhwc4(dense, dims), [dst.length]);
  return dense;
}

function dimsOf({ depthwise: { batch, oc, oh, ow } }: ExpandDepthwiseProblem): readonly number[] {
  return [batch, oc, oh, ow];
}

const smallIntegers: Fill = (length, seed) => integerFill(length, seed, -2, 2);

const TESTED = [
  ...EXPAND_DEPTHWISE_ALGORITHMS,
  mapBandsOf('map-bands of two rows, 8 vec4', { bandRows: 2, quads: 8, patch: 4 }),
  mapBandsOf('map-bands in one slice', { bandRows: 32, quads: 2, slices: 1, rows: 4, patch: 1 }),
];
const target = defaultCapabilities({ software: false });

describe.each(TESTED.map((entry) => [entry.name, entry] as const))('%s', (name, algorithm) => {
  const taken = EXPAND_DEPTHWISE_CASES.filter(
    (entry) =>
      algorithm.impossible(entry.problem, target) === undefined &&
      (name === 'map-bands' || /^(3x3|dilated|a map|260)/.test(entry.name)),
  );

  it.each(taken)('$name', async ({ problem }) => {
    const dims = dimsOf(problem);
    const exact = fillOperands(problem, smallIntegers);
    expectEqual(await run(problem, exact, algorithm), reference(problem, exact), dims);
    const real = fillOperands(problem, randomFill);
    const tolerance = chainTolerance(
      [problem.expand, problem.depthwise].map((conv) =>
        sumTolerance({ terms: convTerms(conv), activationUlp: ACTIVATION_ULP }),
      ),
    );
    const here = await run(problem, real, algorithm);
    expectWithin(here, reference(problem, real), tolerance, dims);
    expectExact(await run(problem, real, algorithm, { arenaOffset: 512 }), here, dims);
  });

  it('over float16', async () => {
    const [first] = taken;
    if (first === undefined) throw new Error('no case');
    const exact = fillOperands(first.problem, smallIntegers);
    // Between the convolutions values stay float32 or are whole numbers that float16 holds.
    const stored = Float32Array.from(reference(first.problem, exact), (sum) =>
      halfToNumber(numberToHalf(sum)),
    );
    expectEqual(await run(first.problem, exact, algorithm, { half: true }), stored, dimsOf(first.problem));
  });
});

it('chooses by adapter, picture size and batch, and another height of the same bands compiles nothing', () => {
  const [first] = EXPAND_DEPTHWISE_CASES;
  if (first === undefined) throw new Error('no case');
  const sized = (height: number, width: number): ExpandDepthwiseProblem => ({
    expand: { ...first.problem.expand, ih: height, iw: width, oh: height, ow: width },
    depthwise: { ...first.problem.depthwise, ih: height, iw: width, oh: height, ow: width },
  });
  const chosen = (side: number, batch: number, software = false) => {
    const { expand, depthwise } = sized(side, side);
    const problem = { expand: { ...expand, batch }, depthwise: { ...depthwise, batch } };
    return planExpandDepthwise(problem, defaultCapabilities({ software }), { mode: 'fast' });
  };
  expect([7, 32, 112].map((side) => chosen(side, 1).algorithm)).toEqual([
    'map-bands',
    'map-bands',
    'separate',
  ]);
  expect([7, 32].map((side) => chosen(side, 32).algorithm)).toEqual(['map-bands', 'separate']);
  expect(chosen(32, 32).refused[0]?.reason).toMatch(/^estimated at \d+ us, separate dispatches at \d+ us$/);
  expect(chosen(7, 1, true).algorithm).toBe('separate');
  const bands = mapBandsOf('map-bands of three rows', { bandRows: 3, quads: 1 });
  const [low, high] = [9, 23].map((height) => bands.plan(sized(height, 11), target, { mode: 'fast' }));
  expect(low?.passes[0]?.wgsl).toBe(high?.passes[0]?.wgsl);
});
