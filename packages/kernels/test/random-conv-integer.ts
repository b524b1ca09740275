/** Random integer convolutions, plain ones and those of quantised products. */
import fc from 'fast-check';
import type { ConvIntegerRequest } from '../src/conv-integer/problem.ts';
import type { ByteType } from '../src/shared/quantized-type.ts';

export const byteType = fc.constantFrom<ByteType>('int8', 'uint8');

/** One to three axes, each with its own window; groups of one, of some, or a filter a channel. */
export const convIntegerRequest: fc.Arbitrary<ConvIntegerRequest> = fc
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
    weightsConstant: fc.constantFrom(true, true, true, false),
    layout: fc.constantFrom('nchw', 'nhwc4'),
  })
  .map(({ axes, batch, grouping, channels: [first, second], types, zeros, ...rest }) => {
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
      weightsZeroPointDims: { none: undefined, one: [], channel: [oc] }[zeros],
      ...rest,
    };
  });
