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
import { describe, expect, it, test } from 'vitest';
import { referenceVolumeConvTranspose, type VolumeOperands } from '../reference/volume-conv.ts';
import { volumeConvTransposeSum } from '../reference/volume-sums.ts';
import { elementCount } from '../shared/layout.ts';
import { VOLUME_CONV_TRANSPOSE_CASES, type VolumeConvTransposeCase } from './cases.ts';
import { makeVolumeConvTransposeProblem, type VolumeConvTransposeProblem } from './problem.ts';
import { selectVolumeConvTranspose, VOLUME_CONV_TRANSPOSE_ALGORITHMS } from './select.ts';

type Fill = (length: number, seed: number) => Float32Array;
type Options = VolumeConvTransposeCase['options'];

const integers: Fill = (length, seed) => integerFill(length, seed, -4, 4);

function operandsOf(options: Options, problem: VolumeConvTransposeProblem, fill: Fill): VolumeOperands {
  return {
    src: fill(elementCount(options.srcDims), 1),
    weights: fill(elementCount(options.weightsDims), 2),
    ...(problem.epilogue.bias ? { bias: fill(problem.oc, 3) } : {}),
    ...(problem.epilogue.residual ? { residual: fill(elementCount(problem.dstDims), 4) } : {}),
  };
}

async function runTransposed(
  problem: VolumeConvTransposeProblem,
  operands: VolumeOperands,
  { algorithm, arenaOffset = 0, workgroupLimit }: RunOptions,
): Promise<Float32Array> {
  const device = await testDevice();
  const { limits } = device.capabilities;
  const most = workgroupLimit ?? limits.maxComputeWorkgroupsPerDimension;
  const target = { ...device.capabilities, limits: { ...limits, maxComputeWorkgroupsPerDimension: most } };
  const { plan } = selectVolumeConvTranspose(problem, target, { mode: 'deterministic', algorithm });
  const outputs = { dst: elementCount(problem.dstDims) };
  if (outputs.dst === 0) return new Float32Array(0);
  const inputs = operands as unknown as Record<string, Float32Array>;
  const { dst } = await runPlan(device, plan, { inputs, outputs, arenaOffset });
  return dst;
}

interface RunOptions {
  readonly algorithm: string;
  readonly arenaOffset?: number;
  readonly workgroupLimit?: number;
}

describe.each(VOLUME_CONV_TRANSPOSE_ALGORITHMS.map((entry) => [entry.name, entry] as const))(
  '%s',
  (algorithm, entry) => {
    const rows = VOLUME_CONV_TRANSPOSE_CASES.map((row) => ({
      ...row,
      problem: makeVolumeConvTransposeProblem(row.options),
    }));
    const taken = rows.filter(
      ({ problem }) => entry.impossible(problem, defaultCapabilities()) === undefined,
    );

    test.each(taken)('$name', async ({ options, problem }) => {
      const exact = operandsOf(options, problem, integers);
      expectEqual(
        await runTransposed(problem, exact, { algorithm }),
        referenceVolumeConvTranspose(problem, exact),
        problem.dstDims,
      );
      const real = operandsOf(options, problem, randomFill);
      expectWithin(
        await runTransposed(problem, real, { algorithm }),
        referenceVolumeConvTranspose(problem, real),
        sumTolerance(volumeConvTransposeSum(problem)),
        problem.dstDims,
      );
    });

    test('another offset and a folded grid give the same bits', async () => {
      const { options, problem } = taken[2] ?? expect.fail('no case is taken');
      const real = operandsOf(options, problem, randomFill);
      const here = await runTransposed(problem, real, { algorithm });
      const moved = await runTransposed(problem, real, { algorithm, arenaOffset: 512 });
      expectExact(moved, here, problem.dstDims);
      const folded = await runTransposed(problem, real, { algorithm, workgroupLimit: 2 });
      expectExact(folded, here, problem.dstDims);
    });

    it('compiles nothing for a second size', () => {
      const texts = [
        [1, 6, 5, 7, 9],
        [3, 6, 2, 4, 13],
      ].map((srcDims) => {
        const attributes = { weightsDims: [6, 2, 3, 3, 3], strides: [2, 2, 2], pads: [1, 1, 1, 1, 1, 1] };
        const problem = makeVolumeConvTransposeProblem({ srcDims, ...attributes });
        const { plan } = selectVolumeConvTranspose(problem, defaultCapabilities(), {
          mode: 'fast',
          algorithm,
        });
        return plan.passes.map((pass) => pass.wgsl);
      });
      expect(texts[1]).toEqual(texts[0]);
    });
  },
);

describe('makeVolumeConvTransposeProblem', () => {
  test.each([
    ['conv-transpose.src', { srcDims: [1, 6, 5, 7] }],
    ['conv-transpose.weights', { weightsDims: [6, 2, 3, 3] }],
    ['conv-transpose.weights', { weightsDims: [5, 2, 3, 3, 3] }],
    ['conv-transpose.groups', { groups: 4 }],
    ['conv-transpose.bias', { biasDims: [3] }],
    ['conv-transpose.pads', { pads: [9, 0, 0, 9, 0, 0] }],
  ])('names %s', (field, attributes) => {
    const make = (): unknown =>
      makeVolumeConvTransposeProblem({
        ...{ srcDims: [1, 6, 5, 7, 9], weightsDims: [6, 2, 3, 3, 3] },
        ...attributes,
      });
    expect(make).toThrow(GpuKernelShapeError);
    expect(make).toThrow(field);
  });
});
