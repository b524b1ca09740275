/** Random convolutions against float64, every algorithm: small integers bit for bit, then random floats. */
import {
  expectEqual,
  expectWithin,
  integerFill,
  randomFill,
  sumTolerance,
  testDevice,
} from '@onegpu/testing';
import fc from 'fast-check';
import { type ConvProblem, convTerms, makeConvProblem } from '../src/conv/problem.ts';
import { convAlgorithms } from '../src/conv/select.ts';
import { referenceConv } from '../src/reference/conv.ts';
import { convSum } from '../src/reference/sums.ts';
import type { Algorithm } from '../src/shared/algorithm.ts';
import { elementCount } from '../src/shared/layout.ts';
import {
  axis,
  channelsOf,
  extent,
  grouping,
  MOST_OUTPUTS,
  orUndefined,
  terms,
  windowsOf,
} from './random-extents.ts';
import { runInLayout } from './run-in-layout.ts';
import { describeSweep } from './sweep.ts';

const srcDims = ({ batch, ic, ih, iw }: ConvProblem): number[] => [batch, ic, ih, iw];
const dstDims = ({ batch, oc, oh, ow }: ConvProblem): number[] => [batch, oc, oh, ow];

const problems: fc.Arbitrary<ConvProblem> = fc
  .record({
    axes: fc.array(axis, { minLength: 1, maxLength: 2 }),
    batch: fc.integer({ min: 1, max: 3 }),
    form: grouping,
    ic: terms,
    oc: extent,
    layout: fc.constantFrom('nhwc4', 'nhwc4', 'nchw'),
    bias: fc.boolean(),
    residual: fc.boolean(),
    relu: fc.boolean(),
    weightsConstant: fc.constantFrom(true, true, true, false),
  })
  .map(({ axes, batch, form, layout, weightsConstant, bias, residual, relu, ...channels }) => {
    const [ic, oc, groups] = channelsOf(form, channels.ic, channels.oc);
    return orUndefined(() =>
      makeConvProblem({
        ...{ layout, groups, weightsConstant, ...windowsOf(axes) },
        src: [batch, ic, ...axes.map(({ input }) => input)],
        weights: [oc, ic / groups, ...axes.map(({ kernel }) => kernel)],
        epilogue: { bias, residual, activation: relu ? [{ kind: 'relu' }] : [] },
      }),
    );
  })
  .filter((problem) => problem !== undefined)
  .filter((problem) => elementCount(dstDims(problem)) <= MOST_OUTPUTS);

async function check(problem: ConvProblem, entry: Algorithm<ConvProblem>): Promise<void> {
  const { capabilities } = await testDevice();
  const plan = entry.plan(problem, capabilities, { mode: 'deterministic' });
  const dims = dstDims(problem);
  const run = async (fill: (length: number, seed: number) => Float32Array) => {
    const src = fill(elementCount(srcDims(problem)), 1);
    const weights = fill(problem.oc * convTerms(problem), 2);
    const bias = problem.epilogue.bias ? { bias: fill(problem.oc, 3) } : {};
    const residual = problem.epilogue.residual ? fill(elementCount(dims), 4) : undefined;
    const got = await runInLayout(plan, {
      layout: problem.layout,
      inputs: {
        src: { data: src, dims: srcDims(problem) },
        ...(residual === undefined ? {} : { residual: { data: residual, dims } }),
      },
      parameters: { weights, ...bias },
      dstDims: dims,
    });
    return { got, expected: referenceConv(problem, { src, weights, ...bias, residual }) };
  };
  const exact = await run((length, seed) => integerFill(length, seed, -3, 3));
  expectEqual(exact.got, exact.expected, dims);
  const real = await run(randomFill);
  expectWithin(real.got, real.expected, sumTolerance(convSum(problem)), dims);
}

describeSweep({ name: 'conv', algorithms: convAlgorithms, problems, runs: 16, seed: 11, check });
