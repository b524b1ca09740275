/** Algorithm `direct`: one sum an invocation over NCHW, weights as ONNX writes them; takes everything in `nchw`. */
import type { DispatchPlan, GpuCapabilities } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { elementwiseMain, elementwiseWorkgroups, itemsPerInvocation } from '../shared/elementwise.ts';
import { elementCount } from '../shared/layout.ts';
import { paramsBlock } from '../shared/params-block.ts';
import { convIntegerCost, convIntegerLabel } from './label.ts';
import type { ConvIntegerProblem } from './problem.ts';
import { windowParams, windowWgsl } from './window.wgsl.ts';
import { zeroPointBindings, zeroPointsWgsl } from './zero-points.wgsl.ts';

export const DIRECT_CONV_INTEGER: Algorithm<ConvIntegerProblem> = {
  name: 'direct',
  impossible: ({ layout, weightsTransposed }) =>
    layout === 'nchw' && !weightsTransposed ? undefined : 'it reads nchw, and weights as ONNX writes them',
  reject: () => undefined,
  plan: planDirect,
};

function planDirect(problem: ConvIntegerProblem, target: GpuCapabilities): DispatchPlan {
  const label = convIntegerLabel(problem, 'direct');
  const count = elementCount(problem.dstDims);
  return {
    operator: 'conv-integer',
    algorithm: 'direct',
    label,
    passes: [
      {
        label,
        wgsl: directWgsl(problem, target),
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
    packing: [],
    cost: convIntegerCost(problem),
  };
}

/** src [batch, ic, d, h, w], weights [oc, ic / groups, kd, kh, kw] -> dst [batch, oc, d, h, w] */
function directWgsl(problem: ConvIntegerProblem, target: GpuCapabilities): string {
  const { ic, oc, groups } = problem;
  const bindings = 3 + zeroPointBindings(problem).length;
  return `
const IC = ${ic}u;
const OC = ${Math.max(oc, 1)}u;
const GROUP_IC = ${ic / groups}u;
const GROUP_OC = ${Math.max(oc / groups, 1)}u;
@group(0) @binding(0) var<storage, read> src: array<i32>;
@group(0) @binding(1) var<storage, read> weights: array<i32>;
@group(0) @binding(2) var<storage, read_write> dst: array<i32>;
${zeroPointsWgsl(problem, 3)}
${windowWgsl(problem, bindings)}
fn sum_of(position: u32) -> i32 {
  let plane = params.dst_d * params.dst_h * params.dst_w;
  let channel = position / plane % OC;
  let image = position / plane / OC;
  let at = window_of(position % plane);
  let src_plane = params.src_d * params.src_h * params.src_w;
  let zero = src_zero();
  let zero_weights = weights_zero(channel);
  let first = (image * IC + channel / GROUP_OC * GROUP_IC) * src_plane;
  var sum = 0i;
  var tap = channel * GROUP_IC * KERNEL_D * KERNEL_H * KERNEL_W;
  for (var c = 0u; c < GROUP_IC; c++) {
    let base = first + c * src_plane;
    for (var kd = 0u; kd < KERNEL_D; kd++) {
      for (var kh = 0u; kh < KERNEL_H; kh++) {
        for (var kw = 0u; kw < KERNEL_W; kw++) {
          let pixel = tap_pixel(at, kd, kh, kw);
          if (pixel >= 0) { sum += (src[base + u32(pixel)] - zero) * (weights[tap] - zero_weights); }
          tap++;
        }
      }
    }
  }
  return sum;
}
${elementwiseMain(itemsPerInvocation(target), 'dst[position] = sum_of(position);')}`;
}
