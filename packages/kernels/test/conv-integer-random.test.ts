/**
 * Random integer convolutions, every algorithm that takes them, bit for bit.
 */
import { defaultCapabilities } from '@onegpu/core';
import fc from 'fast-check';
import { it } from 'vitest';
import { type ConvIntegerRequest, makeConvIntegerProblem } from '../src/conv-integer/problem.ts';
import { CONV_INTEGER_ALGORITHMS } from '../src/conv-integer/select.ts';
import type { ByteType } from '../src/shared/quantized-type.ts';
import { checkConvInteger } from './check-conv-integer.ts';
import { Coverage, SWEEP_TIMEOUT, sweepParameters } from './sweep.ts';

const PARAMETERS = sweepParameters({ runs: 24, seed: 5 });

const byteType = fc.constantFrom<ByteType>('int8', 'uint8');

/** One to three axes, each with its own window; groups of one, of some, or a filter a channel. */
const request: fc.Arbitrary<ConvIntegerRequest> = fc
  .record({
    axes: fc.array(
      fc.record({
        extent: fc.integer({ min: 1, max: 9 }),
        kernel: fc.integer({ min: 1, max: 3 }),
        stride: fc.integer({ min: 1, max: 3 }),
        dilation: fc.integer({ min: 1, max: 2 }),
        pads: fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 2 })),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    batch: fc.integer({ min: 1, max: 2 }),
    grouping: fc.constantFrom('none', 'none', 'words', 'depthwise', 'depthwise'),
    channels: fc.tuple(fc.integer({ min: 1, max: 13 }), fc.integer({ min: 1, max: 13 })),
    types: fc.tuple(byteType, byteType),
    zeros: fc.constantFrom('none', 'one', 'channel'),
    srcZeroPoint: fc.boolean(),
    layout: fc.constantFrom('nchw', 'nhwc4'),
  })
  .map(({ axes, batch, grouping, channels: [first, second], types, zeros, srcZeroPoint, layout }) => {
    // Windows that fit: a short axis is padded until they do.
    const windows = axes.map((axis) => {
      const missing = (axis.kernel - 1) * axis.dilation + 1 - axis.extent - axis.pads[0] - axis.pads[1];
      return { ...axis, padEnd: axis.pads[1] + Math.max(missing, 0) };
    });
    const [ic, oc, groups] = {
      none: [first, second, 1] as const,
      words: [8, 4 * (1 + (second % 2)) * 2, 2] as const,
      depthwise: [first, first, first] as const,
    }[grouping];
    return {
      srcType: types[0],
      weightsType: types[1],
      src: [batch, ic, ...windows.map((axis) => axis.extent)],
      weights: [oc, ic / groups, ...windows.map((axis) => axis.kernel)],
      groups,
      strides: windows.map((axis) => axis.stride),
      dilations: windows.map((axis) => axis.dilation),
      pads: [...windows.map((axis) => axis.pads[0]), ...windows.map((axis) => axis.padEnd)],
      srcZeroPoint,
      weightsZeroPointDims: { none: undefined, one: [], channel: [oc] }[zeros],
      weightsConstant: true,
      layout,
    };
  });

it(
  'every algorithm gives the sums of plain loops',
  async () => {
    const coverage = new Coverage('conv-integer', CONV_INTEGER_ALGORITHMS);
    await fc.assert(
      fc.asyncProperty(request, async (chosen) => {
        const problem = makeConvIntegerProblem(chosen);
        for (const { name, impossible } of CONV_INTEGER_ALGORITHMS) {
          if (impossible(problem, defaultCapabilities()) !== undefined) continue;
          await checkConvInteger(problem, name, false);
          coverage.add(name);
        }
      }),
      PARAMETERS,
    );
    coverage.report();
  },
  SWEEP_TIMEOUT,
);
