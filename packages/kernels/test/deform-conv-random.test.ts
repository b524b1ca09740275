/** Random deformable convolutions against float64, every algorithm; offsets reach outside the picture. */
import { runPlan, testDevice } from '@onegpu/testing';
import fc from 'fast-check';
import { type ConvProblem, convDstElements, convTerms } from '../src/conv/problem.ts';
import { type DeformConvProblem, makeDeformConvProblem } from '../src/deform-conv/problem.ts';
import { DEFORM_CONV_ALGORITHMS } from '../src/deform-conv/select.ts';
import { referenceDeformConv } from '../src/reference/deform-conv.ts';
import { deformConvSum } from '../src/reference/sums.ts';
import type { Algorithm } from '../src/shared/algorithm.ts';
import { slidingWindows } from '../src/shared/conv-geometry.ts';
import { elementCount } from '../src/shared/layout.ts';
import { checkSums, type FloatStorage } from './check-sums.ts';
import { axis, channelsOf, grouping, MOST_OUTPUTS, orUndefined, windowsOf } from './random-extents.ts';
import { describeSweep, FLOAT_STORAGES } from './sweep.ts';

/** Samples of a problem that the host takes in a moment. */
const MOST_SAMPLES = 2 ** 18;

const samplesOf = ({ batch, ic, kh, kw, oh, ow }: ConvProblem): number => batch * ic * kh * kw * oh * ow;

const problems: fc.Arbitrary<DeformConvProblem> = fc
  .record({
    axes: fc.array(axis, { minLength: 1, maxLength: 3 }),
    batch: fc.integer({ min: 1, max: 2 }),
    form: grouping,
    ic: fc.integer({ min: 1, max: 17 }),
    oc: fc.integer({ min: 1, max: 17 }),
    offsets: fc.constantFrom('one', 'two', 'each'),
    mask: fc.boolean(),
    bias: fc.boolean(),
    residual: fc.boolean(),
    relu: fc.boolean(),
    weightsConstant: fc.constantFrom(true, true, false),
  })
  .map(({ axes, batch, form, offsets, mask, bias, residual, relu, weightsConstant, ...channels }) => {
    const [ic, oc, groups] = channelsOf(form, channels.ic, channels.oc);
    const offsetGroups = { one: 1, two: ic % 2 === 0 ? 2 : 1, each: ic }[offsets];
    const request = {
      ...{ groups, weightsConstant, ...windowsOf(axes) },
      src: [batch, ic, ...axes.map(({ input }) => input)],
      weights: [oc, ic / groups, ...axes.map(({ kernel }) => kernel)],
      epilogue: { bias, residual, activation: relu ? [{ kind: 'relu' as const }] : [] },
    };
    return orUndefined(() => {
      const spatial = slidingWindows('DeformConv', request.src.slice(2), {
        ...request,
        kernel: axes.map(({ kernel }) => kernel),
      }).map(({ output }) => output);
      const planes = offsetGroups * elementCount(axes.map(({ kernel }) => kernel));
      return makeDeformConvProblem({
        ...{ ...request, offsetGroups },
        offset: [batch, axes.length * planes, ...spatial],
        mask: mask ? [batch, planes, ...spatial] : undefined,
      });
    });
  })
  .filter((problem) => problem !== undefined)
  .filter(({ conv }) => convDstElements(conv) <= MOST_OUTPUTS && samplesOf(conv) <= MOST_SAMPLES);

async function check(
  problem: DeformConvProblem,
  entry: Algorithm<DeformConvProblem>,
  storage: FloatStorage,
): Promise<void> {
  const device = await testDevice();
  const plan = entry.plan(problem, device.capabilities, { mode: 'deterministic' });
  const { conv, axes, dstDims, offsetGroups, mask } = problem;
  const { batch, ic, ih, iw, oc, oh, ow, kh, kw, epilogue } = conv;
  const points = batch * offsetGroups * kh * kw * oh * ow;
  const length = convDstElements(conv);
  await checkSums({
    ...{ storage, dstDims, sum: deformConvSum(problem) },
    operands: (fill, places) => ({
      src: fill(batch * ic * ih * iw, 1),
      weights: fill(oc * convTerms(conv), 2),
      offset: places(axes * points, 3),
      ...(mask ? { mask: fill(points, 4) } : {}),
      ...(epilogue.bias ? { bias: fill(oc, 5) } : {}),
      ...(epilogue.residual ? { residual: fill(length, 6) } : {}),
    }),
    run: async (operands) => {
      const run = { inputs: { ...operands }, outputs: { dst: length }, half: storage === 'float16' };
      return (await runPlan(device, plan, run)).dst;
    },
    reference: (operands) => referenceDeformConv(problem, operands),
  });
}

describeSweep({
  ...{ name: 'deform-conv', algorithms: DEFORM_CONV_ALGORITHMS, problems, storages: FLOAT_STORAGES },
  ...{ runs: 4, seed: 16, check },
});
