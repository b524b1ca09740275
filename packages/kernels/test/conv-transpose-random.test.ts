/** Random transposed convolutions against float64, every algorithm: integers bit for bit, then random floats. */
import {
  expectEqual,
  expectWithin,
  integerFill,
  randomFill,
  sumTolerance,
  testDevice,
} from '@onegpu/testing';
import fc from 'fast-check';
import { type ConvTransposeProblem, makeConvTransposeProblem } from '../src/conv-transpose/problem.ts';
import { CONV_TRANSPOSE_ALGORITHMS } from '../src/conv-transpose/select.ts';
import { applyActivation } from '../src/reference/activation.ts';
import { convTransposeReference } from '../src/reference/conv-transpose.ts';
import { convTransposeSum } from '../src/reference/sums.ts';
import type { Algorithm } from '../src/shared/algorithm.ts';
import { elementCount } from '../src/shared/layout.ts';
import {
  axis,
  channelsOf,
  extent,
  grouping,
  MOST_OUTPUTS,
  orUndefined,
  type RandomAxis,
  windowsOf,
} from './random-extents.ts';
import { runInLayout } from './run-in-layout.ts';
import { describeSweep } from './sweep.ts';

type Problem = ConvTransposeProblem;

const srcDims = ({ batch, ic, vertical, horizontal }: Problem): number[] => [
  ...[batch, ic, vertical.input, horizontal.input],
];
const dstDims = ({ batch, oc, vertical, horizontal }: Problem): number[] => [
  ...[batch, oc, vertical.output, horizontal.output],
];

/** Windows that meet without overlapping, as in the heads that double a map. */
function doubling({ input, stride }: RandomAxis): RandomAxis {
  return { input, stride, kernel: stride, dilation: 1, pads: [0, 0] };
}

const problems: fc.Arbitrary<Problem> = fc
  .record({
    axes: fc.array(axis, { minLength: 1, maxLength: 2 }),
    doubles: fc.boolean(),
    padding: fc.boolean(),
    batch: fc.integer({ min: 1, max: 2 }),
    form: grouping,
    ic: extent,
    oc: extent,
    layout: fc.constantFrom('nhwc4', 'nchw'),
    bias: fc.boolean(),
    residual: fc.boolean(),
    relu: fc.boolean(),
    weightsConstant: fc.constantFrom(true, true, true, false),
  })
  .map((drawn) => {
    const { batch, form, layout, weightsConstant, bias, residual, relu } = drawn;
    const axes = drawn.doubles ? drawn.axes.map(doubling) : drawn.axes;
    const [ic, oc, groups] = channelsOf(form, drawn.ic, drawn.oc);
    const padded = drawn.padding && !drawn.doubles;
    return orUndefined(() =>
      makeConvTransposeProblem({
        ...{ layout, groups, weightsConstant, residual, ...windowsOf(axes) },
        srcDims: [batch, ic, ...axes.map(({ input }) => input)],
        weightsDims: [ic, oc / groups, ...axes.map(({ kernel }) => kernel)],
        biasDims: bias ? [oc] : undefined,
        activation: relu ? [{ kind: 'relu' }] : [],
        ...(padded ? { outputPadding: axes.map(({ stride }) => stride - 1) } : {}),
      }),
    );
  })
  .filter((problem) => problem !== undefined)
  .filter((problem) => elementCount(dstDims(problem)) <= MOST_OUTPUTS);

async function check(problem: Problem, entry: Algorithm<Problem>): Promise<void> {
  const { capabilities } = await testDevice();
  const plan = entry.plan(problem, capabilities, { mode: 'deterministic' });
  const dims = dstDims(problem);
  const { ic, oc, groups, vertical, horizontal, epilogue, layout } = problem;
  const run = async (fill: (length: number, seed: number) => Float32Array) => {
    const src = fill(elementCount(srcDims(problem)), 1);
    const weights = fill((ic * oc * vertical.kernel * horizontal.kernel) / groups, 2);
    const bias = epilogue.bias ? { bias: fill(oc, 3) } : {};
    const residual = epilogue.residual ? fill(elementCount(dims), 4) : undefined;
    const got = await runInLayout(plan, {
      layout,
      inputs: {
        src: { data: src, dims: srcDims(problem) },
        ...(residual === undefined ? {} : { residual: { data: residual, dims } }),
      },
      parameters: { weights, ...bias },
      dstDims: dims,
    });
    const sums = convTransposeReference(problem, { src, weights, ...bias, residual });
    return { got, expected: sums.map((sum) => applyActivation(epilogue.activation, sum)) };
  };
  const exact = await run((length, seed) => integerFill(length, seed, -4, 4));
  expectEqual(exact.got, exact.expected, dims);
  const real = await run(randomFill);
  expectWithin(real.got, real.expected, sumTolerance(convTransposeSum(problem)), dims);
}

describeSweep({
  name: 'conv-transpose',
  algorithms: CONV_TRANSPOSE_ALGORITHMS,
  ...{ problems, runs: 20, seed: 12, check },
});
