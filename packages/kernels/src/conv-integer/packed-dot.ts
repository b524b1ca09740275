/**
 * Algorithm `packed-dot`: channels last, so that a word of src is four channels of a pixel, multiplied with a word of
 * weights by one dot product of signed bytes. An invocation makes PIXELS pixels of four output channels.
 *
 * Both sides are signed bytes x' = x - a, w' = w - b with a, b = 128 for unsigned types, so with z' = z - a:
 *
 *   sum (x - zx)(w - zw) = sum x'w' - zx' sum w' - zw' (sum x' - n zx'),   n = taps * ic
 *
 * where taps outside the picture read zx'. sum w' comes with the packed weights.
 */
import type { DispatchPlan, GpuCapabilities } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { flatWorkgroups } from '../shared/flat-grid.ts';
import { elementCount } from '../shared/layout.ts';
import { paramsBlock } from '../shared/params-block.ts';
import { convIntegerCost, convIntegerLabel } from './label.ts';
import { packDotWeights } from './pack-weights.ts';
import { PACKED_DOT_PIXELS, packedDotWgsl } from './packed-dot.wgsl.ts';
import { type ConvIntegerProblem, tapCount } from './problem.ts';
import { windowParams } from './window.wgsl.ts';
import { zeroPointBindings } from './zero-points.wgsl.ts';

export const PACKED_DOT: Algorithm<ConvIntegerProblem> = {
  name: 'packed-dot',
  impossible: ({ layout, groups, ic, oc, weightsConstant }) => {
    if (layout !== 'nhwc4') return 'it reads channels last';
    if (!weightsConstant) return 'the weights are not constant';
    const whole = (ic / groups) % 4 === 0 && (oc / groups) % 4 === 0;
    return groups === 1 || whole ? undefined : 'the channels of a group are no whole words';
  },
  reject: () => undefined,
  plan: planPackedDot,
};

function planPackedDot(problem: ConvIntegerProblem, target: GpuCapabilities): DispatchPlan {
  const { oc, ic, groups, dstDims, weightsTransposed } = problem;
  const label = convIntegerLabel(problem, 'packed-dot');
  const pixels = elementCount(dstDims) / Math.max(oc, 1);
  const count = Math.ceil(pixels / PACKED_DOT_PIXELS) * Math.ceil(oc / 4);
  const shape = { oc, ic: ic / groups, taps: tapCount(problem), transposed: weightsTransposed };
  return {
    operator: 'conv-integer',
    algorithm: 'packed-dot',
    label,
    passes: [
      {
        label,
        wgsl: packedDotWgsl(problem, target),
        bindings: [
          { operand: 'src', access: 'read', bits: 'raw' },
          { operand: 'weights', access: 'read', bits: 'raw' },
          { operand: 'dst', access: 'read_write' },
          ...zeroPointBindings(problem),
        ],
        params: paramsBlock(windowParams(problem, count, { pixels })),
        workgroups: flatWorkgroups(count, target),
      },
    ],
    scratch: [],
    tables: [],
    packing: [
      {
        operand: 'weights',
        key: `conv-integer-dot${weightsTransposed ? '-transposed' : ''}`,
        pack: (source) => packDotWeights(source, shape),
      },
    ],
    cost: convIntegerCost(problem),
  };
}
