import { defaultCapabilities, GpuKernelShapeError, halfToNumber, numberToHalf } from '@onegpu/core';
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
import { describe, expect, it, test } from 'vitest';
import { type ConvProblem, convDstElements, convTerms } from '../conv/problem.ts';
import { type DeformConvOperands, referenceDeformConv } from '../reference/deform-conv.ts';
import { deformConvSum } from '../reference/sums.ts';
import type { KernelOptions } from '../shared/algorithm.ts';
import { PLAIN_EPILOGUE } from '../shared/epilogue.ts';
import { DEFORM_CONV_CASES } from './cases.ts';
import { type DeformConvProblem, type DeformConvRequest, makeDeformConvProblem } from './problem.ts';
import { DEFORM_CONV_ALGORITHMS, selectDeformConv } from './select.ts';

type Fill = (length: number, seed: number) => Float32Array;
type Filled = { readonly [Name in keyof DeformConvOperands]: Float32Array };

const smallIntegers: Fill = (length, seed) => integerFill(length, seed, -3, 3);
/** Quarters between -3 and 3, so that samples are exact. */
const quarters: Fill = (length, seed) => integerFill(length, seed, -12, 12).map((value) => value / 4);
const wide: Fill = (length, seed) => randomFill(length, seed).map((value) => 3 * value);
const dstDims = ({ batch, oc, oh, ow }: ConvProblem): readonly number[] => [batch, oc, oh, ow];

function fillOperands({ conv, offsetGroups, mask }: DeformConvProblem, fill: Fill, offsets: Fill): Filled {
  const points = conv.batch * offsetGroups * conv.kh * conv.kw * conv.oh * conv.ow;
  return {
    src: fill(conv.batch * conv.ic * conv.ih * conv.iw, 1),
    weights: fill(conv.oc * convTerms(conv), 2),
    offset: offsets(2 * points, 3),
    ...(mask ? { mask: fill(points, 4) } : {}),
    ...(conv.epilogue.bias ? { bias: fill(conv.oc, 5) } : {}),
    ...(conv.epilogue.residual ? { residual: fill(convDstElements(conv), 6) } : {}),
  };
}

interface Place {
  readonly arenaOffset?: number;
  readonly half?: boolean;
  readonly workgroupLimit?: number;
}

async function runDeform(
  problem: DeformConvProblem,
  operands: Filled,
  options: Pick<KernelOptions, 'algorithm' | 'scratchBytes'>,
  { workgroupLimit, ...place }: Place = {},
): Promise<Float32Array> {
  const device = await testDevice();
  const { limits } = device.capabilities;
  const most = workgroupLimit ?? limits.maxComputeWorkgroupsPerDimension;
  const target = { ...device.capabilities, limits: { ...limits, maxComputeWorkgroupsPerDimension: most } };
  const { plan } = selectDeformConv(problem, target, { mode: 'deterministic', ...options });
  const outputs = { dst: convDstElements(problem.conv) };
  if (outputs.dst === 0) return new Float32Array(0);
  const { dst } = await runPlan(device, plan, { inputs: { ...operands }, outputs, ...place });
  return dst;
}

describe.each(DEFORM_CONV_ALGORITHMS.map((entry) => [entry.name, entry] as const))(
  '%s',
  (algorithm, entry) => {
    const taken = DEFORM_CONV_CASES.filter(
      ({ problem }) => entry.impossible(problem, defaultCapabilities()) === undefined,
    );
    const masked = taken.find(({ name }) => name === '3x3 with mask')?.problem;

    test.each(taken)('$name', async ({ problem }) => {
      const dims = dstDims(problem.conv);
      const exact = fillOperands(problem, smallIntegers, quarters);
      expectEqual(await runDeform(problem, exact, { algorithm }), referenceDeformConv(problem, exact), dims);
      const real = fillOperands(problem, randomFill, wide);
      const tolerance = sumTolerance(deformConvSum(problem));
      expectWithin(
        await runDeform(problem, real, { algorithm }),
        referenceDeformConv(problem, real),
        tolerance,
        dims,
      );
    });

    test.each(taken.filter(({ name }) => /^(channels 17|3x3|bias|2 groups)/.test(name)))(
      'float16, $name',
      async ({ problem }) => {
        const exact = fillOperands(problem, smallIntegers, quarters);
        const rounded = (sum: number): number => halfToNumber(numberToHalf(sum));
        const expected = Float32Array.from(referenceDeformConv(problem, exact), rounded);
        const got = await runDeform(problem, exact, { algorithm }, { half: true });
        const terms = convTerms(problem.conv);
        expectWithin(got, expected, sumTolerance({ terms, half: true }), dstDims(problem.conv));
      },
    );

    test('offsets out of every range count zero', async () => {
      if (masked === undefined) return expect.fail('the case is not taken');
      const operands = fillOperands(masked, smallIntegers, quarters);
      const far = [1e30, -1e30, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** 31, -(2 ** 31), 1e7];
      const offset = operands.offset.map((value, index) => far[index % 11] ?? value);
      const got = await runDeform(masked, { ...operands, offset }, { algorithm });
      expectEqual(got, referenceDeformConv(masked, { ...operands, offset }), dstDims(masked.conv));
    });

    test('small offsets far from the origin keep their fraction', async () => {
      const src = [1, 2, 1, 4099];
      const problem = makeDeformConvProblem({
        ...{ src, weights: [3, 2, 1, 1], offset: [1, 2, 1, 4099] },
        ...{ epilogue: PLAIN_EPILOGUE, weightsConstant: true },
      });
      const slight: Fill = (length, seed) => randomFill(length, seed).map((value) => value * 1e-3);
      const real = fillOperands(problem, randomFill, slight);
      const tolerance = sumTolerance(deformConvSum(problem));
      const got = await runDeform(problem, real, { algorithm });
      expectWithin(got, referenceDeformConv(problem, real), tolerance, dstDims(problem.conv));
    });

    test('another offset, a folded grid and scratch for a few rows give the same bits', async () => {
      if (masked === undefined) return expect.fail('the case is not taken');
      const real = fillOperands(masked, randomFill, wide);
      const here = await runDeform(masked, real, { algorithm });
      const dims = dstDims(masked.conv);
      expectExact(await runDeform(masked, real, { algorithm }, { arenaOffset: 512 }), here, dims);
      expectExact(await runDeform(masked, real, { algorithm }, { workgroupLimit: 2 }), here, dims);
      expectExact(await runDeform(masked, real, { algorithm, scratchBytes: 1000 }), here, dims);
    });

    it('compiles nothing for a second size', () => {
      const texts = [
        { batch: 1, size: [5, 7] },
        { batch: 3, size: [11, 9] },
      ].map(({ batch, size }) => {
        const problem = makeDeformConvProblem({
          ...{ src: [batch, 6, ...size], weights: [8, 6, 3, 3], offset: [batch, 18, ...size] },
          ...{ pads: [1, 1, 1, 1], epilogue: PLAIN_EPILOGUE, weightsConstant: true },
        });
        const { plan } = selectDeformConv(problem, defaultCapabilities(), { mode: 'fast', algorithm });
        return plan.passes.map((pass) => pass.wgsl);
      });
      expect(texts[1]).toEqual(texts[0]);
    });
  },
);

describe('makeDeformConvProblem', () => {
  const fixed = { src: [1, 6, 5, 7], weights: [8, 6, 3, 3], offset: [1, 18, 3, 5], weightsConstant: true };

  test.each([
    ['DeformConv.rank', { src: [1, 6, 5], weights: [8, 6, 3] }],
    ['DeformConv.weights', { groups: 2 }],
    ['DeformConv.group', { groups: -1 }],
    ['DeformConv.offset_group', { offsetGroups: 4 }],
    ['DeformConv.offset_group', { offsetGroups: 0 }],
    ['DeformConv.offset', { offsetGroups: 2 }],
    ['DeformConv.offset', { offset: [1, 18, 3, 4] }],
    ['DeformConv.mask', { mask: [1, 18, 3, 5] }],
    ['DeformConv.strides', { strides: [0, 1] }],
  ] satisfies readonly (readonly [string, Partial<DeformConvRequest>])[])('names %s', (field, attributes) => {
    const make = (): unknown => makeDeformConvProblem({ ...fixed, epilogue: PLAIN_EPILOGUE, ...attributes });
    expect(make).toThrow(GpuKernelShapeError);
    expect(make).toThrow(field);
  });
});
