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
import { referenceVolumeConv, type VolumeOperands } from '../reference/volume-conv.ts';
import { volumeConvSum } from '../reference/volume-sums.ts';
import type { KernelOptions } from '../shared/algorithm.ts';
import { PLAIN_EPILOGUE } from '../shared/epilogue.ts';
import { elementCount } from '../shared/layout.ts';
import { VOLUME_CONV_CASES } from './cases.ts';
import {
  makeVolumeConvProblem,
  type VolumeConvProblem,
  type VolumeConvRequest,
  volumeConvDstDims,
  volumeConvDstElements,
} from './problem.ts';
import { selectVolumeConv, VOLUME_CONV_ALGORITHMS } from './select.ts';

type Fill = (length: number, seed: number) => Float32Array;
type Filled = VolumeOperands & { readonly src: Float32Array; readonly weights: Float32Array };

const smallIntegers: Fill = (length, seed) => integerFill(length, seed, -3, 3);

function fillOperands(request: VolumeConvRequest, problem: VolumeConvProblem, fill: Fill): Filled {
  const { bias, residual } = problem.epilogue;
  return {
    src: fill(elementCount(request.src), 1),
    weights: fill(elementCount(request.weights), 2),
    ...(bias ? { bias: fill(problem.oc, 3) } : {}),
    ...(residual ? { residual: fill(volumeConvDstElements(problem), 4) } : {}),
  };
}

interface Place {
  readonly workgroupLimit?: number;
  readonly arenaOffset?: number;
  readonly half?: boolean;
}

async function runVolume(
  problem: VolumeConvProblem,
  operands: Filled,
  options: Pick<KernelOptions, 'algorithm' | 'scratchBytes'>,
  { workgroupLimit, arenaOffset = 0, half = false }: Place = {},
): Promise<Float32Array> {
  const device = await testDevice();
  const { limits } = device.capabilities;
  const most = workgroupLimit ?? limits.maxComputeWorkgroupsPerDimension;
  const target = { ...device.capabilities, limits: { ...limits, maxComputeWorkgroupsPerDimension: most } };
  const { plan } = selectVolumeConv(problem, target, { mode: 'deterministic', ...options });
  const outputs = { dst: volumeConvDstElements(problem) };
  if (outputs.dst === 0) return new Float32Array(0);
  const inputs = operands as unknown as Record<string, Float32Array>;
  const { dst } = await runPlan(device, plan, { inputs, outputs, arenaOffset, half });
  return dst;
}

describe.each(VOLUME_CONV_ALGORITHMS.map((entry) => [entry.name, entry] as const))(
  '%s',
  (algorithm, entry) => {
    const rows = VOLUME_CONV_CASES.map((row) => ({ ...row, problem: makeVolumeConvProblem(row.request) }));
    const taken = rows.filter(
      ({ problem }) => entry.impossible(problem, defaultCapabilities()) === undefined,
    );

    test.each(taken)('$name', async ({ request, problem }) => {
      const dims = volumeConvDstDims(problem);
      const exact = fillOperands(request, problem, smallIntegers);
      expectEqual(await runVolume(problem, exact, { algorithm }), referenceVolumeConv(problem, exact), dims);
      const real = fillOperands(request, problem, randomFill);
      const tolerance = sumTolerance(volumeConvSum(problem));
      expectWithin(
        await runVolume(problem, real, { algorithm }),
        referenceVolumeConv(problem, real),
        tolerance,
        dims,
      );
    });

    test.each(taken.filter(({ name }) => /^(channels 17|bias|several)/.test(name)))(
      'float16, $name',
      async ({ request, problem }) => {
        const exact = fillOperands(request, problem, smallIntegers);
        const sums = referenceVolumeConv(problem, exact);
        const expected = Float32Array.from(sums, (sum) => halfToNumber(numberToHalf(sum)));
        const got = await runVolume(problem, exact, { algorithm }, { half: true });
        expectEqual(got, expected, volumeConvDstDims(problem));
      },
    );

    test('grids over the limit of one dimension are folded', async () => {
      const { request, problem } = taken[9] ?? expect.fail('no case is taken');
      const exact = fillOperands(request, problem, smallIntegers);
      const got = await runVolume(problem, exact, { algorithm }, { workgroupLimit: 2 });
      expectEqual(got, referenceVolumeConv(problem, exact), volumeConvDstDims(problem));
    });

    test('another offset, and scratch for a few rows alone, give the same bits', async () => {
      const { request, problem } = taken[9] ?? expect.fail('no case is taken');
      const real = fillOperands(request, problem, randomFill);
      const here = await runVolume(problem, real, { algorithm });
      const dims = volumeConvDstDims(problem);
      expectExact(await runVolume(problem, real, { algorithm }, { arenaOffset: 512 }), here, dims);
      expectExact(await runVolume(problem, real, { algorithm, scratchBytes: 2000 }), here, dims);
    });

    it('compiles nothing for a second size', () => {
      const texts = [
        [1, 6, 5, 7, 9],
        [3, 6, 11, 4, 13],
      ].map((src) => {
        const attributes = { strides: [2, 2, 2], autoPad: 'SAME_UPPER', epilogue: PLAIN_EPILOGUE };
        const weights = [8, 6, 3, 3, 3];
        const problem = makeVolumeConvProblem({ src, weights, weightsConstant: true, ...attributes });
        const { plan } = selectVolumeConv(problem, defaultCapabilities(), { mode: 'fast', algorithm });
        return plan.passes.map((pass) => pass.wgsl);
      });
      expect(texts[1]).toEqual(texts[0]);
    });
  },
);

describe('choice', () => {
  const chosen = (attributes: Partial<VolumeConvRequest>): string => {
    const fixed = { src: [1, 6, 5, 7, 9], weights: [8, 6, 3, 3, 3], epilogue: PLAIN_EPILOGUE };
    const problem = makeVolumeConvProblem({ ...fixed, weightsConstant: true, ...attributes });
    return selectVolumeConv(problem, defaultCapabilities(), { mode: 'fast' }).algorithm;
  };

  it('gathers a matrix where many channels share it', () => {
    expect(chosen({})).toBe('volume-im2col');
    expect(chosen({ weights: [2, 6, 3, 3, 3] })).toBe('volume-direct');
    expect(chosen({ weights: [6, 1, 3, 3, 3], groups: 6 })).toBe('volume-direct');
    expect(chosen({ weightsConstant: false })).toBe('volume-direct');
  });
});

describe('makeVolumeConvProblem', () => {
  const make = (attributes: Partial<VolumeConvRequest>) => (): unknown =>
    makeVolumeConvProblem({
      ...{ src: [1, 6, 5, 7, 9], weights: [8, 6, 3, 3, 3], epilogue: PLAIN_EPILOGUE, weightsConstant: true },
      ...attributes,
    });

  test.each([
    ['Conv.rank', { src: [1, 6, 5, 7] }],
    ['Conv.weights rank', { weights: [8, 6, 3, 3] }],
    ['Conv.group', { groups: 0 }],
    ['Conv.weights', { groups: 2 }],
    ['Conv.weights', { weights: [7, 3, 3, 3, 3], groups: 2 }],
    ['Conv.pads', { pads: [1, 1, 1] }],
    ['Conv.strides', { strides: [0, 1, 1] }],
    ['Conv.spatial axis 0', { weights: [8, 6, 6, 3, 3] }],
  ])('names %s', (field, attributes) => {
    expect(make(attributes)).toThrow(GpuKernelShapeError);
    expect(make(attributes)).toThrow(field);
  });

  it('refuses scratch for less than one row, naming what it takes', () => {
    const problem = makeVolumeConvProblem({
      ...{ src: [1, 6, 5, 7, 9], weights: [8, 6, 3, 3, 3], epilogue: PLAIN_EPILOGUE, weightsConstant: true },
    });
    const plan = (): unknown =>
      selectVolumeConv(problem, defaultCapabilities(), { mode: 'fast', scratchBytes: 647 });
    expect(plan).toThrow(GpuKernelShapeError);
    expect(plan).toThrow('at least 648');
  });
});
