/** Random convolutions over three spatial axes, both ways, against float64: every algorithm. */
import { runPlan, testDevice } from '@onegpu/testing';
import fc from 'fast-check';
import { referenceVolumeConv, referenceVolumeConvTranspose } from '../src/reference/volume-conv.ts';
import { volumeConvSum, volumeConvTransposeSum } from '../src/reference/volume-sums.ts';
import type { Algorithm } from '../src/shared/algorithm.ts';
import { elementCount } from '../src/shared/layout.ts';
import type { SumTolerance } from '../src/shared/tolerance.ts';
import { volumeTaps } from '../src/shared/volume.ts';
import {
  makeVolumeConvProblem,
  type VolumeConvProblem,
  volumeConvDstDims,
} from '../src/volume-conv/problem.ts';
import { VOLUME_CONV_ALGORITHMS } from '../src/volume-conv/select.ts';
import {
  makeVolumeConvTransposeProblem,
  type VolumeConvTransposeProblem,
} from '../src/volume-conv-transpose/problem.ts';
import { VOLUME_CONV_TRANSPOSE_ALGORITHMS } from '../src/volume-conv-transpose/select.ts';
import { checkSums, type FloatStorage } from './check-sums.ts';
import { axis, channelsOf, grouping, MOST_OUTPUTS, orUndefined, windowsOf } from './random-extents.ts';
import { describeSweep, FLOAT_STORAGES } from './sweep.ts';

/** Products of a problem that three nested axes of plain loops sum in a moment. */
const MOST_PRODUCTS = 2 ** 21;

const drawn = fc.record({
  axes: fc.array(axis, { minLength: 3, maxLength: 3 }),
  batch: fc.integer({ min: 1, max: 2 }),
  form: grouping,
  ic: fc.integer({ min: 1, max: 17 }),
  oc: fc.integer({ min: 1, max: 17 }),
  bias: fc.boolean(),
  residual: fc.boolean(),
  relu: fc.boolean(),
  weightsConstant: fc.constantFrom(true, true, true, false),
  padding: fc.boolean(),
});

const convs: fc.Arbitrary<VolumeConvProblem> = drawn
  .map(({ axes, batch, form, bias, residual, relu, weightsConstant, ...channels }) => {
    const [ic, oc, groups] = channelsOf(form, channels.ic, channels.oc);
    return orUndefined(() =>
      makeVolumeConvProblem({
        ...{ groups, weightsConstant, ...windowsOf(axes) },
        src: [batch, ic, ...axes.map(({ input }) => input)],
        weights: [oc, ic / groups, ...axes.map(({ kernel }) => kernel)],
        epilogue: { bias, residual, activation: relu ? [{ kind: 'relu' }] : [] },
      }),
    );
  })
  .filter((problem) => problem !== undefined)
  .filter((problem) => isSmall(problem, volumeConvDstDims(problem)));

const transposed: fc.Arbitrary<VolumeConvTransposeProblem> = drawn
  .map(({ axes, batch, form, bias, residual, relu, padding, ...channels }) => {
    const [ic, oc, groups] = channelsOf(form, channels.ic, channels.oc);
    return orUndefined(() =>
      makeVolumeConvTransposeProblem({
        ...{ groups, residual, ...windowsOf(axes) },
        srcDims: [batch, ic, ...axes.map(({ input }) => input)],
        weightsDims: [ic, oc / groups, ...axes.map(({ kernel }) => kernel)],
        biasDims: bias ? [oc] : undefined,
        activation: relu ? [{ kind: 'relu' }] : [],
        ...(padding ? { outputPadding: axes.map(({ stride }) => stride - 1) } : {}),
      }),
    );
  })
  .filter((problem) => problem !== undefined)
  .filter((problem) => isSmall(problem, problem.dstDims));

type Volumes = Omit<VolumeConvTransposeProblem, 'dstDims'>;

function isSmall(problem: Volumes, dstDims: readonly number[]): boolean {
  const outputs = elementCount(dstDims);
  return (
    outputs <= MOST_OUTPUTS && (outputs * problem.ic * volumeTaps(problem)) / problem.groups <= MOST_PRODUCTS
  );
}

interface VolumeCheck<Problem> {
  readonly problem: Problem;
  readonly entry: Algorithm<Problem>;
  readonly storage: FloatStorage;
  readonly dstDims: readonly number[];
  readonly sum: SumTolerance;
  readonly reference: (problem: Problem, operands: Operands) => Float64Array;
}

interface Operands {
  readonly src: Float32Array;
  readonly weights: Float32Array;
  readonly bias?: Float32Array;
  readonly residual?: Float32Array;
}

async function check<Problem extends Volumes>(volume: VolumeCheck<Problem>): Promise<void> {
  const { problem, entry, storage, dstDims, sum, reference } = volume;
  const device = await testDevice();
  const plan = entry.plan(problem, device.capabilities, { mode: 'deterministic' });
  const { batch, ic, oc, groups, depth, height, width, epilogue } = problem;
  const length = elementCount(dstDims);
  await checkSums<Operands>({
    ...{ storage, dstDims, sum },
    operands: (fill) => ({
      src: fill(batch * ic * depth.input * height.input * width.input, 1),
      weights: fill((oc * ic * volumeTaps(problem)) / groups, 2),
      ...(epilogue.bias ? { bias: fill(oc, 3) } : {}),
      ...(epilogue.residual ? { residual: fill(length, 4) } : {}),
    }),
    run: async (operands) => {
      const run = { inputs: { ...operands }, outputs: { dst: length }, half: storage === 'float16' };
      return (await runPlan(device, plan, run)).dst;
    },
    reference: (operands) => reference(problem, operands),
  });
}

describeSweep({
  ...{ name: 'volume-conv', algorithms: VOLUME_CONV_ALGORITHMS, problems: convs, storages: FLOAT_STORAGES },
  ...{ runs: 4, seed: 14 },
  check: (problem, entry, storage) => {
    const [dstDims, sum] = [volumeConvDstDims(problem), volumeConvSum(problem)];
    return check({ problem, entry, storage, dstDims, sum, reference: referenceVolumeConv });
  },
});

describeSweep({
  ...{ name: 'volume-conv-transpose', algorithms: VOLUME_CONV_TRANSPOSE_ALGORITHMS, problems: transposed },
  ...{ storages: FLOAT_STORAGES, runs: 4, seed: 15 },
  check: (problem, entry, storage) => {
    const [dstDims, sum] = [problem.dstDims, volumeConvTransposeSum(problem)];
    return check({ problem, entry, storage, dstDims, sum, reference: referenceVolumeConvTranspose });
  },
});
