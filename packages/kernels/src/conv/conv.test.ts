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
import { describe, test } from 'vitest';
import { CONV_TWINS } from '../../test/conv-twins.ts';
import { type ConvOperands, referenceConv } from '../reference/conv.ts';
import { ACTIVATION_ULP } from '../shared/activation.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import { type Layout, packNhwc4, unpackNhwc4 } from '../shared/layout.ts';
import { CONV_CASES } from './cases.ts';
import { type ConvProblem, convDstElements, convTerms, makeConvProblem } from './problem.ts';
import { exactConvAlgorithms } from './select.ts';

type Fill = (length: number, seed: number) => Float32Array;
interface Filled extends ConvOperands {
  readonly src: Float32Array;
  readonly weights: Float32Array;
  readonly bias: Float32Array | undefined;
  readonly residual: Float32Array | undefined;
}

const LAYOUTS: readonly Layout[] = ['nchw', 'nhwc4'];

const srcDims = ({ batch, ic, ih, iw }: ConvProblem): number[] => [batch, ic, ih, iw];
const dstDims = ({ batch, oc, oh, ow }: ConvProblem): number[] => [batch, oc, oh, ow];
const product = (dims: readonly number[]): number => dims.reduce((total, extent) => total * extent, 1);

function fillOperands(problem: ConvProblem, fill: Fill): Filled {
  const { epilogue, oc } = problem;
  return {
    src: fill(product(srcDims(problem)), 1),
    weights: fill(oc * convTerms(problem), 2),
    bias: epilogue.bias ? fill(oc, 3) : undefined,
    residual: epilogue.residual ? fill(product(dstDims(problem)), 4) : undefined,
  };
}

async function runConv(
  problem: ConvProblem,
  operands: Filled,
  algorithm: Algorithm<ConvProblem>,
  place: { workgroupLimit?: number; arenaOffset?: number; half?: boolean } = {},
): Promise<Float32Array> {
  const device = await testDevice();
  const { workgroupLimit, arenaOffset = 0, half = false } = place;
  const limits = { ...device.capabilities.limits };
  const target = {
    ...device.capabilities,
    limits: {
      ...limits,
      maxComputeWorkgroupsPerDimension: workgroupLimit ?? limits.maxComputeWorkgroupsPerDimension,
    },
  };
  const plan = algorithm.plan(problem, target, { mode: 'deterministic' });
  const store = (data: Float32Array, dims: readonly number[]): Float32Array =>
    problem.layout === 'nhwc4' ? packNhwc4(data, dims) : data;
  const inputs = {
    src: store(operands.src, srcDims(problem)),
    weights: operands.weights,
    ...(operands.bias === undefined ? {} : { bias: operands.bias }),
    ...(operands.residual === undefined ? {} : { residual: store(operands.residual, dstDims(problem)) }),
  };
  if (plan.passes.length === 0) return new Float32Array(0);
  const { dst } = await runPlan(device, plan, {
    inputs,
    outputs: { dst: convDstElements(problem) },
    arenaOffset,
    half,
  });
  if (problem.layout === 'nchw') return dst;
  const dense = unpackNhwc4(dst, dstDims(problem));
  expectEqual(dst, packNhwc4(dense, dstDims(problem)), [dst.length]);
  return dense;
}

const CASES = LAYOUTS.flatMap((layout) =>
  CONV_CASES.map(({ name, request }) => ({
    name: `${name}, ${layout}`,
    problem: makeConvProblem({ ...request, layout }),
  })),
);

const smallIntegers: Fill = (length, seed) => integerFill(length, seed, -3, 3);

/** Tiles this large compile slowly on a software adapter: they run a sample of the cases, their twins most. */
const LARGE = new Set(['implicit-gemm', 'split-k', 'winograd-2x2']);
const SAMPLE = /^(channels 65|4608 terms|bias, residual)/;
/** Texts that differ from a tested one by how they load weights. */
const OWN_WEIGHTS = /^(channels (17|65) |2 groups|depthwise (3x3|5x5 stride 2)|268 terms).*nhwc4$/;
/** Counts between the edges of tiles: test/channels has all of them, for every algorithm. */
const BETWEEN_EDGES = /^channels (2|3|5|6|10|11|12|13|14|16|31|64) /;
/** The same store behind other sums. */
const SAME_STORE = /^channels (4|7|8|9|15|32|63) /;

/** Storage is put below finished kernels: one case of each way a kernel loads and stores. */
const HALF_SAMPLE =
  /^(bias, residual and relu|channels (17|33|65) |4608 terms|2 groups|depthwise 3x3|3x3 dilated)/;

/** Every way a patch of several rows reads and stores. */
const PATCHES = /^depthwise (3x3,|3x3 stride 2|dilated|1-D)/;

function sampled(algorithm: string, name: string): boolean {
  if (BETWEEN_EDGES.test(name)) return false;
  if (algorithm === 'depthwise-patch twin') return PATCHES.test(name);
  if (LARGE.has(algorithm)) return SAMPLE.test(name);
  if (algorithm.endsWith(' of own weights')) return OWN_WEIGHTS.test(name);
  if (!algorithm.includes(' twin')) return true;
  return algorithm === 'implicit-gemm twin' || !SAME_STORE.test(name);
}

const TESTED = [...exactConvAlgorithms, ...CONV_TWINS];

describe.each(TESTED.map((entry) => [entry.name, entry] as const))('%s', (algorithm, entry) => {
  const target = defaultCapabilities({ software: true });
  const taken = CASES.filter(({ name, problem }) => {
    return entry.impossible(problem, target) === undefined && sampled(algorithm, name);
  });

  test.each(taken)('$name', async ({ problem }) => {
    const exact = fillOperands(problem, smallIntegers);
    const dims = dstDims(problem);
    expectEqual(await runConv(problem, exact, entry), referenceConv(problem, exact), dims);
    const real = fillOperands(problem, randomFill);
    const activationUlp = problem.epilogue.activation.length === 0 ? 0 : ACTIVATION_ULP;
    const tolerance = sumTolerance({ terms: convTerms(problem), activationUlp, ...entry.bound });
    expectWithin(await runConv(problem, real, entry), referenceConv(problem, real), tolerance, dims);
  });

  // Weights to transform are float32 alone.
  const half = entry.bound === undefined ? taken.filter(({ name }) => HALF_SAMPLE.test(name)) : [];
  test.each(half)('float16, $name', async ({ problem }) => {
    const exact = fillOperands(problem, smallIntegers);
    const expected = Float32Array.from(referenceConv(problem, exact), (sum) =>
      halfToNumber(numberToHalf(sum)),
    );
    expectEqual(await runConv(problem, exact, entry, { half: true }), expected, dstDims(problem));
  });

  const [first] = taken.filter(({ problem }) => convDstElements(problem) > 300);
  test.runIf(first !== undefined)('grids over the limit of one dimension are folded', async () => {
    if (first === undefined) return;
    const exact = fillOperands(first.problem, smallIntegers);
    const got = await runConv(first.problem, exact, entry, { workgroupLimit: 2 });
    expectEqual(got, referenceConv(first.problem, exact), dstDims(first.problem));
  });

  test.runIf(first !== undefined)('gives the same bits at another offset', async () => {
    if (first === undefined) return;
    const real = fillOperands(first.problem, randomFill);
    const here = await runConv(first.problem, real, entry);
    expectExact(
      await runConv(first.problem, real, entry, { arenaOffset: 512 }),
      here,
      dstDims(first.problem),
    );
  });
});
