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
import { convDstElements, convTerms } from '../conv/problem.ts';
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

function fillOperands(
  { conv, axes, offsetGroups, mask }: DeformConvProblem,
  fill: Fill,
  offsets: Fill,
): Filled {
  const points = conv.batch * offsetGroups * conv.kh * conv.kw * conv.oh * conv.ow;
  return {
    src: fill(conv.batch * conv.ic * conv.ih * conv.iw, 1),
    weights: fill(conv.oc * convTerms(conv), 2),
    offset: offsets(axes * points, 3),
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
    const masked = taken.filter(({ name }) => /^(3x3|three axes) with mask$/.test(name));

    test.each(taken)('$name', async ({ problem }) => {
      const dims = problem.dstDims;
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

    test.each(
      taken.filter(({ name }) => /^(channels 17|3x3|bias|2 groups|one axis, s|three axes w)/.test(name)),
    )('float16, $name', async ({ problem }) => {
      const exact = fillOperands(problem, smallIntegers, quarters);
      const rounded = (sum: number): number => halfToNumber(numberToHalf(sum));
      const expected = Float32Array.from(referenceDeformConv(problem, exact), rounded);
      const got = await runDeform(problem, exact, { algorithm }, { half: true });
      const terms = convTerms(problem.conv);
      expectWithin(got, expected, sumTolerance({ terms, half: true }), problem.dstDims);
    });

    test.each(masked)('offsets out of every range count zero, $name', async ({ problem }) => {
      const operands = fillOperands(problem, smallIntegers, quarters);
      const far = [1e30, -1e30, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** 31, -(2 ** 31), 1e7];
      const offset = operands.offset.map((value, index) => far[index % 11] ?? value);
      const got = await runDeform(problem, { ...operands, offset }, { algorithm });
      expectEqual(got, referenceDeformConv(problem, { ...operands, offset }), problem.dstDims);
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
      expectWithin(got, referenceDeformConv(problem, real), tolerance, problem.dstDims);
    });

    test.each(masked)(
      'another place and grid, scratch for a few rows: the same bits, $name',
      async ({ problem }) => {
        const real = fillOperands(problem, randomFill, wide);
        const here = await runDeform(problem, real, { algorithm });
        const dims = problem.dstDims;
        expectExact(await runDeform(problem, real, { algorithm }, { arenaOffset: 512 }), here, dims);
        expectExact(await runDeform(problem, real, { algorithm }, { workgroupLimit: 2 }), here, dims);
        expectExact(await runDeform(problem, real, { algorithm, scratchBytes: 1000 }), here, dims);
      },
    );

    it.each([
      [
        [5, 7],
        [11, 9],
      ],
      [[7], [11]],
      [
        [2, 3, 5],
        [3, 5, 2],
      ],
    ])('compiles nothing for a second size, %j and %j', (...sizes) => {
      const texts = sizes.map((size, index) => {
        const batch = 1 + index;
        const kernel = size.map(() => 3);
        const problem = makeDeformConvProblem({
          ...{ src: [batch, 6, ...size], weights: [8, 6, ...kernel] },
          offset: [batch, size.length * 3 ** size.length, ...size],
          ...{ pads: [...size, ...size].map(() => 1), epilogue: PLAIN_EPILOGUE, weightsConstant: true },
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
    ['DeformConv.rank', { src: [1, 6], weights: [8, 6] }],
    ['DeformConv.rank', { src: [1, 6, 2, 2, 2, 2], weights: [8, 6, 1, 1, 1, 1] }],
    ['DeformConv.weights rank', { src: [1, 6, 5], weights: [8, 6, 3, 3] }],
    ['DeformConv.offset', { src: [1, 6, 5], weights: [8, 6, 3], offset: [1, 6, 3] }],
    ['DeformConv.offset', { src: [1, 6, 3, 3, 3], weights: [8, 6, 1, 1, 1], offset: [1, 2, 3, 3, 3] }],
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
