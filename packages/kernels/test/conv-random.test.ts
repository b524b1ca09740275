/** Random convolutions against float64, every algorithm: small integers bit for bit, then random floats. */
import fc from 'fast-check';
import { type ConvProblem, convDstElements, makeConvProblem } from '../src/conv/problem.ts';
import { exactConvAlgorithms } from '../src/conv/select.ts';
import type { Algorithm } from '../src/shared/algorithm.ts';
import { checkConv } from './check-conv.ts';
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
import { describeSweep, FLOAT_STORAGES } from './sweep.ts';

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
  .filter((problem) => convDstElements(problem) <= MOST_OUTPUTS);

/** What transformed products take: 3x3 taps in steps of one, over pictures that tiles do not fill. */
const transformable: fc.Arbitrary<ConvProblem> = fc
  .record({
    batch: fc.integer({ min: 1, max: 3 }),
    ic: terms,
    oc: extent,
    rows: fc.integer({ min: 1, max: 13 }),
    columns: fc.integer({ min: 1, max: 13 }),
    pads: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 4, maxLength: 4 }),
    bias: fc.boolean(),
    residual: fc.boolean(),
    relu: fc.boolean(),
  })
  .map(({ batch, ic, oc, rows, columns, pads, bias, residual, relu }) =>
    orUndefined(() =>
      makeConvProblem({
        ...{ layout: 'nhwc4', weightsConstant: true, pads },
        ...{ src: [batch, ic, rows, columns], weights: [oc, ic, 3, 3] },
        epilogue: { bias, residual, activation: relu ? [{ kind: 'relu' }] : [] },
      }),
    ),
  )
  .filter((problem) => problem !== undefined)
  .filter((problem) => convDstElements(problem) <= MOST_OUTPUTS);

const isTransformed = ({ bound }: Algorithm<ConvProblem>): boolean => bound !== undefined;

describeSweep({
  ...{ name: 'conv', algorithms: exactConvAlgorithms.filter((entry) => !isTransformed(entry)), problems },
  ...{ storages: FLOAT_STORAGES, runs: 16, seed: 11, check: checkConv },
});

describeSweep({
  ...{ name: 'conv by transformed products', algorithms: exactConvAlgorithms.filter(isTransformed) },
  ...{ problems: transformable, runs: 4, seed: 11, check: checkConv },
});
