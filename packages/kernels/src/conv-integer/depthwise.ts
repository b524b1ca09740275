/**
 * Algorithm `depthwise`: every channel with a filter of its own, channels last, four channels (one word of bytes) an
 * invocation. Weights are packed as [taps, channels / 4] words.
 */
import { type DispatchPlan, type GpuCapabilities, type OperandArray, sameKind } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { elementwiseMain, elementwiseWorkgroups, itemsPerInvocation } from '../shared/elementwise.ts';
import { elementCount, paddedChannels } from '../shared/layout.ts';
import { paramsBlock } from '../shared/params-block.ts';
import { maskLanesWgsl } from '../shared/prelude.ts';
import { convIntegerCost, convIntegerLabel } from './label.ts';
import { type ConvIntegerProblem, tapCount } from './problem.ts';
import { windowParams, windowWgsl } from './window.wgsl.ts';
import { zeroPointBindings, zeroPointsWgsl } from './zero-points.wgsl.ts';

export const DEPTHWISE_CONV_INTEGER: Algorithm<ConvIntegerProblem> = {
  name: 'depthwise',
  impossible: ({ layout, groups, ic, oc, weightsConstant }) => {
    if (layout !== 'nhwc4') return 'it reads channels last';
    if (!weightsConstant) return 'the weights are not constant';
    return groups === ic && oc === ic && ic > 0 ? undefined : 'not one filter a channel';
  },
  reject: () => undefined,
  plan: planDepthwise,
};

function planDepthwise(problem: ConvIntegerProblem, target: GpuCapabilities): DispatchPlan {
  const label = convIntegerLabel(problem, 'depthwise');
  const count = (elementCount(problem.dstDims) / Math.max(problem.oc, 1)) * Math.ceil(problem.oc / 4);
  const taps = tapCount(problem);
  return {
    operator: 'conv-integer',
    algorithm: 'depthwise',
    label,
    passes: [
      {
        label,
        wgsl: depthwiseWgsl(problem, target),
        bindings: [
          { operand: 'src', access: 'read' },
          { operand: 'weights', access: 'read' },
          { operand: 'dst', access: 'read_write' },
          ...zeroPointBindings(problem),
        ],
        params: paramsBlock(windowParams(problem, count)),
        workgroups: elementwiseWorkgroups(count, target),
      },
    ],
    scratch: [],
    tables: [],
    packing: [
      {
        operand: 'weights',
        key: 'conv-integer-depthwise',
        pack: (source) => packTaps(source, problem.oc, taps),
      },
    ],
    cost: convIntegerCost(problem),
  };
}

/** [channels, taps] to [taps, channels padded to 4]. */
function packTaps<T extends OperandArray>(source: T, channels: number, taps: number): T {
  const stride = paddedChannels(channels);
  const packed = sameKind(source, taps * stride);
  for (let channel = 0; channel < channels; channel++) {
    for (let tap = 0; tap < taps; tap++) packed[tap * stride + channel] = source[channel * taps + tap] ?? 0;
  }
  return packed;
}

/** src [batch, d, h, w, GROUPS], weights [kd, kh, kw, GROUPS] -> dst [batch, d, h, w, GROUPS], vec4 of channels */
function depthwiseWgsl(problem: ConvIntegerProblem, target: GpuCapabilities): string {
  const groups = Math.max(Math.ceil(problem.oc / 4), 1);
  const bindings = 3 + zeroPointBindings(problem).length;
  return `
const GROUPS = ${groups}u;
@group(0) @binding(0) var<storage, read> src: array<vec4i>;
@group(0) @binding(1) var<storage, read> weights: array<vec4i>;
@group(0) @binding(2) var<storage, read_write> dst: array<vec4i>;
${zeroPointsWgsl(problem, 3)}
${windowWgsl(problem, bindings)}
${maskLanesWgsl(problem.oc, 'vec4u')}
fn sums_of(position: u32) -> vec4i {
  let group = position % GROUPS;
  let at = window_of(position / GROUPS);
  let zero = vec4i(src_zero());
  let c = 4u * group;
  let zero_weights = vec4i(weights_zero(c), weights_zero(c + 1u), weights_zero(c + 2u), weights_zero(c + 3u));
  var sums = vec4i();
  for (var kd = 0u; kd < KERNEL_D; kd++) {
    for (var kh = 0u; kh < KERNEL_H; kh++) {
      for (var kw = 0u; kw < KERNEL_W; kw++) {
        let pixel = tap_pixel(at, kd, kh, kw);
        let tap = (kd * KERNEL_H + kh) * KERNEL_W + kw;
        if (pixel >= 0) {
          sums += (src[u32(pixel) * GROUPS + group] - zero) * (weights[tap * GROUPS + group] - zero_weights);
        }
      }
    }
  }
  return bitcast<vec4i>(mask_lanes(bitcast<vec4u>(sums), group));
}
${elementwiseMain(itemsPerInvocation(target), 'dst[position] = sums_of(position);')}`;
}
