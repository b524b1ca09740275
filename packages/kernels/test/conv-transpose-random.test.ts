/** Random transposed convolutions against float64, every algorithm: integers bit for bit, then random floats. */
import fc from 'fast-check';
import { type ConvTransposeProblem, makeConvTransposeProblem } from '../src/conv-transpose/problem.ts';
import { CONV_TRANSPOSE_ALGORITHMS } from '../src/conv-transpose/select.ts';
import { checkConvTranspose } from './check-conv-transpose.ts';
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
import { describeSweep, FLOAT_STORAGES } from './sweep.ts';

const outputs = ({ batch, oc, vertical, horizontal }: ConvTransposeProblem): number =>
  batch * oc * vertical.output * horizontal.output;

/** Windows that meet without overlapping, as in the heads that double a map. */
function doubling({ input, stride }: RandomAxis): RandomAxis {
  return { input, stride, kernel: stride, dilation: 1, pads: [0, 0] };
}

const problems: fc.Arbitrary<ConvTransposeProblem> = fc
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
  .filter((problem) => outputs(problem) <= MOST_OUTPUTS);

describeSweep({
  ...{ name: 'conv-transpose', algorithms: CONV_TRANSPOSE_ALGORITHMS, problems, storages: FLOAT_STORAGES },
  ...{ runs: 20, seed: 12, check: checkConvTranspose },
});
