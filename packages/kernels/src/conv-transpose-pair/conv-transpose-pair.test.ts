/** Pairs of transposed convolutions against float64, and bit for bit against the two one after the other. */
import { defaultCapabilities, GpuKernelShapeError } from '@onegpu/core';
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
import { selectConvTranspose } from '../conv-transpose/select.ts';
import { applyActivation } from '../reference/activation.ts';
import { convTransposeReference } from '../reference/conv-transpose.ts';
import { elementCount, layoutElements, packNhwc4 } from '../shared/layout.ts';
import { CONV_TRANSPOSE_PAIR_CASES } from './cases.ts';
import { CONV_TRANSPOSE_PAIR_ALGORITHMS, planConvTransposePair } from './plan.ts';
import { type ConvTransposePairProblem, makeConvTransposePairProblem } from './problem.ts';

type Fill = (length: number, seed: number) => Float32Array;
const integers: Fill = (length, seed) => integerFill(length, seed, -2, 2);
const weightsOf = ({ ic, oc, vertical, horizontal }: ConvTransposePairProblem['first']): number =>
  ic * oc * vertical.kernel * horizontal.kernel;

function operandsOf({ first, second }: ConvTransposePairProblem, fill: Fill) {
  const srcDims = [first.batch, first.ic, first.vertical.input, first.horizontal.input];
  return {
    ...{ srcDims, src: fill(elementCount(srcDims), 1) },
    ...{ firstWeights: fill(weightsOf(first), 2), weights: fill(weightsOf(second), 3) },
    firstBias: first.epilogue.bias ? fill(first.oc, 4) : undefined,
    bias: second.epilogue.bias ? fill(1, 5) : undefined,
  };
}

function expectedOf({ first, second }: ConvTransposePairProblem, operands: ReturnType<typeof operandsOf>) {
  const { src, firstWeights, firstBias, weights, bias } = operands;
  const mid = convTransposeReference(first, { src, weights: firstWeights, bias: firstBias });
  const hidden = mid.map((sum) => applyActivation(first.epilogue.activation, sum));
  const sums = convTransposeReference(second, { src: hidden, weights, bias });
  return sums.map((sum) => applyActivation(second.epilogue.activation, sum));
}

const present = (
  operands: Readonly<Record<string, Float32Array | undefined>>,
): Record<string, Float32Array> =>
  Object.fromEntries(
    Object.entries(operands).flatMap(([name, data]) => (data === undefined ? [] : [[name, data]])),
  );

interface RunOptions {
  readonly algorithm?: string;
  readonly workgroupLimit?: number;
  readonly half?: boolean;
  readonly arenaOffset?: number;
}

async function run(
  problem: ConvTransposePairProblem,
  operands: ReturnType<typeof operandsOf>,
  { algorithm, workgroupLimit, ...place }: RunOptions = {},
): Promise<Float32Array> {
  const device = await testDevice();
  const { limits } = device.capabilities;
  const most = workgroupLimit ?? limits.maxComputeWorkgroupsPerDimension;
  const target = { ...device.capabilities, limits: { ...limits, maxComputeWorkgroupsPerDimension: most } };
  const options = { mode: 'fast', ...(algorithm === undefined ? {} : { algorithm }) } as const;
  const { plan } = planConvTransposePair(problem, target, options);
  const length = elementCount(problem.second.dstDims);
  if (length === 0) {
    expect(plan.passes.every((pass) => pass.workgroups.includes(0))).toBe(true);
    return new Float32Array(0);
  }
  const { srcDims, src, ...others } = operands;
  const inputs = { src: packNhwc4(src, srcDims), ...present(others) };
  return (await runPlan(device, plan, { inputs, outputs: { dst: length }, ...place })).dst;
}

/** The two convolutions one after the other, by `pixel-taps`. */
async function runApart(
  { first, second }: ConvTransposePairProblem,
  operands: ReturnType<typeof operandsOf>,
) {
  const device = await testDevice();
  const plans = [first, second].map(
    (problem) =>
      selectConvTranspose(problem, device.capabilities, { mode: 'fast', algorithm: 'pixel-taps' }).plan,
  );
  const [firstPlan, secondPlan] = plans as [(typeof plans)[number], (typeof plans)[number]];
  const { srcDims, src, firstWeights, firstBias, weights, bias } = operands;
  const { dst: mid } = await runPlan(device, firstPlan, {
    inputs: { src: packNhwc4(src, srcDims), ...present({ weights: firstWeights, bias: firstBias }) },
    outputs: { dst: layoutElements(first.dstDims, 'nhwc4') },
  });
  const outputs = { dst: elementCount(second.dstDims) };
  return (await runPlan(device, secondPlan, { inputs: { src: mid, ...present({ weights, bias }) }, outputs }))
    .dst;
}

describe.each(CONV_TRANSPOSE_PAIR_ALGORITHMS)(
  'pairs of transposed convolutions by $name',
  ({ name, impossible }) => {
    const possible = CONV_TRANSPOSE_PAIR_CASES.filter(
      ({ problem }) => impossible(problem, defaultCapabilities()) === undefined,
    );

    it.each(possible)('$name', async ({ problem }) => {
      const exact = operandsOf(problem, integers);
      expectEqual(
        await run(problem, exact, { algorithm: name }),
        expectedOf(problem, exact),
        problem.second.dstDims,
      );
      const { first } = problem;
      const real = operandsOf(problem, randomFill);
      const terms = first.ic + first.oc;
      const got = await run(problem, real, { algorithm: name, workgroupLimit: 2, arenaOffset: 512 });
      expectWithin(got, expectedOf(problem, real), sumTolerance({ terms }), problem.second.dstDims);
    });

    it('an infinite source makes infinite sums, whatever lanes are padding', async () => {
      const problem = makeConvTransposePairProblem({
        ...{ srcDims: [1, 3, 2, 2], firstWeightsDims: [3, 5, 2, 2], weightsDims: [5, 1, 2, 2] },
      });
      const operands = operandsOf(problem, (length, seed) => integerFill(length, seed, 1, 3));
      operands.src[0] = Number.POSITIVE_INFINITY;
      const got = await run(problem, operands, { algorithm: name });
      expectEqual(got, expectedOf(problem, operands), problem.second.dstDims);
    });

    it('the bits are those of the two apart, whatever the activations', async () => {
      const problem = makeConvTransposePairProblem({
        ...{ srcDims: [1, 6, 3, 5], firstWeightsDims: [6, 5, 2, 2], weightsDims: [5, 1, 2, 2] },
        ...{ firstBiasDims: [5], biasDims: [1] },
        hiddenActivation: [{ kind: 'hard-sigmoid', alpha: 0.25, beta: 0.5 }],
        activation: [{ kind: 'sigmoid' }],
      });
      const operands = operandsOf(problem, randomFill);
      const got = await run(problem, operands, { algorithm: name });
      expectExact(got, await runApart(problem, operands), problem.second.dstDims);
    });
  },
);

describe('pairs of transposed convolutions', () => {
  it('float16 operands give the sums of their values, rounded once', async () => {
    const [{ problem } = { problem: undefined }] = CONV_TRANSPOSE_PAIR_CASES;
    if (problem === undefined) return;
    const tiny = operandsOf(problem, (length, seed) => integerFill(length, seed, -1, 1));
    const expected = expectedOf(problem, tiny);
    expectEqual(await run(problem, tiny, { half: true }), expected, problem.second.dstDims);
  });

  it('another picture size compiles nothing', () => {
    const texts = [
      [1, 8, 5, 7],
      [2, 8, 3, 4],
    ].map((srcDims) => {
      const kernels = { firstWeightsDims: [8, 8, 2, 2], weightsDims: [8, 1, 2, 2] };
      const problem = makeConvTransposePairProblem({ srcDims, ...kernels });
      const target = { ...defaultCapabilities(), software: false };
      return planConvTransposePair(problem, target, { mode: 'fast' }).plan.passes.map(({ wgsl }) => wgsl);
    });
    expect(texts[0]).toEqual(texts[1]);
  });

  it.each([
    ['several output channels', [4, 8, 2, 2], [8, 2, 2, 2]],
    ['channels that do not meet', [4, 8, 2, 2], [4, 1, 2, 2]],
    ['too many channels', [4, 68, 2, 2], [68, 1, 2, 2]],
    ['too many taps', [4, 8, 2, 2], [8, 1, 5, 4]],
  ])('%s are refused', (_, firstWeightsDims, weightsDims) => {
    const request = { srcDims: [1, 4, 2, 2], firstWeightsDims, weightsDims };
    expect(() => makeConvTransposePairProblem(request)).toThrow(GpuKernelShapeError);
  });
});
