import { defaultCapabilities } from '@onegpu/core';
import {
  expectEqual,
  expectWithin,
  integerFill,
  randomFill,
  runPlan,
  sumTolerance,
  testDevice,
} from '@onegpu/testing';
import { describe, test } from 'vitest';
import { type ConvOperands, referenceConv } from '../reference/conv.ts';
import { ACTIVATION_ULP } from '../shared/activation.ts';
import { type Layout, packNhwc4, unpackNhwc4 } from '../shared/layout.ts';
import { CONV_CASES } from './cases.ts';
import { type ConvProblem, convDstElements, convTerms, makeConvProblem } from './problem.ts';
import { convAlgorithms, selectConv } from './select.ts';

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
  algorithm: string,
  place: { workgroupLimit?: number; arenaOffset?: number } = {},
): Promise<Float32Array> {
  const device = await testDevice();
  const { workgroupLimit, arenaOffset = 0 } = place;
  const limits = { ...device.capabilities.limits };
  const target = {
    ...device.capabilities,
    limits: {
      ...limits,
      maxComputeWorkgroupsPerDimension: workgroupLimit ?? limits.maxComputeWorkgroupsPerDimension,
    },
  };
  const { plan } = selectConv(problem, target, { mode: 'deterministic', algorithm });
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

describe.each(convAlgorithms.map((entry) => [entry.name, entry] as const))('%s', (algorithm, entry) => {
  const taken = CASES.filter(
    ({ problem }) => entry.impossible(problem, defaultCapabilities({ software: true })) === undefined,
  );

  test.each(taken)('$name', async ({ problem }) => {
    const exact = fillOperands(problem, smallIntegers);
    const dims = dstDims(problem);
    expectEqual(await runConv(problem, exact, algorithm), referenceConv(problem, exact), dims);
    const real = fillOperands(problem, randomFill);
    const activationUlp = problem.epilogue.activation.length === 0 ? 0 : ACTIVATION_ULP;
    const tolerance = sumTolerance({ terms: convTerms(problem), activationUlp });
    expectWithin(await runConv(problem, real, algorithm), referenceConv(problem, real), tolerance, dims);
  });
});
