/** Expansion, depthwise convolution and squeeze-excite together: dst bit for bit, factors within their bound. */
import { defaultCapabilities } from '@onegpu/core';
import {
  expectEqual,
  expectExact,
  expectWithin,
  integerFill,
  runPlan,
  sumTolerance,
  testDevice,
} from '@onegpu/testing';
import { describe, it } from 'vitest';
import { convDstElements, convTerms } from '../conv/problem.ts';
import { referenceConv } from '../reference/conv.ts';
import { referenceSqueezeExcite } from '../reference/squeeze-excite.ts';
import { ACTIVATION_ULP } from '../shared/activation.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import { layoutElements, packNhwc4, unpackNhwc4 } from '../shared/layout.ts';
import { chainTolerance } from '../shared/tolerance.ts';
import { makeSqueezeExciteProblem } from '../squeeze-excite/problem.ts';
import { EXPAND_DEPTHWISE_CASES } from './cases.ts';
import {
  MAP_EXCITE_ALGORITHMS,
  type MapExciteProblem,
  makeMapExciteProblem,
  mapExciteOf,
} from './map-excite.ts';
import type { ExpandDepthwiseProblem } from './problem.ts';

const HIDDEN = 5;

function withExcite(problem: ExpandDepthwiseProblem): MapExciteProblem {
  const { batch, oc, oh, ow } = problem.depthwise;
  const excite = makeSqueezeExciteProblem({
    src: [batch, oc, oh, ow],
    squeezeWeights: [HIDDEN, oc],
    exciteWeights: [oc, HIDDEN],
    ...{ squeezeBias: true, exciteBias: false, weightsConstant: true },
    hiddenActivation: [{ kind: 'relu' }],
    activation: [],
  });
  return makeMapExciteProblem(problem, excite);
}

function fill({ expand, depthwise }: MapExciteProblem) {
  const { batch, ic, ih, iw, oc } = expand;
  const integers = (length: number, seed: number): Float32Array => integerFill(length, seed, -2, 2);
  return {
    src: integers(batch * ic * ih * iw, 1),
    expandWeights: integers(oc * ic, 2),
    weights: integers(oc * convTerms(depthwise), 3),
    ...(expand.epilogue.bias ? { expandBias: integers(oc, 4), bias: integers(oc, 5) } : {}),
    squeezeWeights: integers(HIDDEN * oc, 6),
    squeezeBias: integers(HIDDEN, 7),
    exciteWeights: integers(HIDDEN * oc, 8),
  };
}

async function run(
  problem: MapExciteProblem,
  { src, ...operands }: ReturnType<typeof fill>,
  algorithm: Algorithm<MapExciteProblem>,
  arenaOffset = 0,
): Promise<{ dst: Float32Array; factors: Float32Array }> {
  const { expand, depthwise } = problem;
  const { batch, ic, ih, iw, oc } = expand;
  const device = await testDevice();
  const plan = algorithm.plan(problem, device.capabilities, { mode: 'deterministic' });
  const { dst, factors } = await runPlan(device, plan, {
    inputs: { src: packNhwc4(src, [batch, ic, ih, iw]), ...operands },
    outputs: { dst: convDstElements(depthwise), factors: layoutElements([batch, oc, 1, 1], 'nhwc4') },
    arenaOffset,
  });
  return {
    dst: unpackNhwc4(dst, [batch, oc, depthwise.oh, depthwise.ow]),
    factors: unpackNhwc4(factors, [batch, oc, 1, 1]),
  };
}

const target = defaultCapabilities({ software: false });

const TESTED = [
  ...MAP_EXCITE_ALGORITHMS,
  mapExciteOf('map-bands of two rows', { bandRows: 2, quads: 4 }),
  mapExciteOf('map-bands of all rows, 8 vec4', { bandRows: 32, quads: 8 }),
];

describe.each(TESTED.map((entry) => [entry.name, entry] as const))('%s', (_, algorithm) => {
  const taken = EXPAND_DEPTHWISE_CASES.map(({ name, problem }) => ({ name, problem: withExcite(problem) }))
    .filter(({ name }) => /^(3x3|5x5|a map)/.test(name))
    .filter(({ problem }) => algorithm.impossible(problem, target) === undefined);

  it.each(taken)('$name', async ({ problem }) => {
    const { expand, depthwise, excite } = problem;
    const operands = fill(problem);
    const { src, expandWeights, expandBias, weights, bias } = operands;
    const wide = referenceConv(expand, { src, weights: expandWeights, bias: expandBias });
    const expected = referenceConv(depthwise, { src: wide, weights, bias });
    const got = await run(problem, operands, algorithm);
    expectEqual(got.dst, expected, [expected.length]);
    const factors = referenceSqueezeExcite(excite, { ...operands, src: expected });
    const terms = [excite.height * excite.width, excite.channels, excite.hidden];
    const tolerance = chainTolerance(
      terms.map((count) => sumTolerance({ terms: count, activationUlp: ACTIVATION_ULP })),
    );
    expectWithin(got.factors, factors, tolerance, [excite.batch, excite.outputs]);
    const elsewhere = await run(problem, operands, algorithm, 512);
    expectExact(elsewhere.factors, got.factors, [excite.batch, excite.outputs]);
  });
});
