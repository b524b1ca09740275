/**
 * DynamicQuantizeLinear: the scale and zero point that let uint8 span [min(0, lowest), max(0, highest)], then the
 * quantised tensor. Four steps: both extremes by reduction, one invocation for the parameters, the elements.
 *
 * A NaN in the tensor makes both extremes zero.
 *
 *   scale = (high - low) / 255, 1 where both are zero;  zero_point = saturate(round(-low / scale))
 *
 * https://onnx.ai/onnx/operators/onnx__DynamicQuantizeLinear.html
 */
import type { DispatchPass, DispatchPlan, GpuCapabilities } from '@onegpu/core';
import { makeReduceProblem } from '../reduce/problem.ts';
import { planReduce } from '../reduce/select.ts';
import type { KernelOptions } from '../shared/algorithm.ts';
import { concatPlans, renameOperands } from '../shared/compose-plan.ts';
import { elementCount } from '../shared/layout.ts';
import { saturatedWgsl } from '../shared/quantized-type.ts';
import { QUOTIENT_BITS } from '../shared/rounded-divide.wgsl.ts';
import { makeQuantizeProblem } from './problem.ts';
import { planQuantize } from './select.ts';

/** Operands `src`, `dst` (uint8), `scale` (float32, one) and `zeroPoint` (uint8, one). */
export function planDynamicQuantize(
  dims: readonly number[],
  target: GpuCapabilities,
  options: KernelOptions,
): DispatchPlan {
  const label = 'dynamic-quantize/reduce/f32-u8';
  const extreme = (operation: 'max' | 'min', operand: string): DispatchPlan => {
    const problem = makeReduceProblem({
      operation,
      dims,
      axes: dims.map((_, axis) => axis),
      keepDims: false,
    });
    const { plan } = planReduce(problem, target, { mode: options.mode });
    const partials = plan.scratch.map((scratch) => [scratch.operand, `${operand}-${scratch.operand}`]);
    return renameOperands(plan, { ...Object.fromEntries(partials), dst: operand });
  };
  const quantize = planQuantize(
    makeQuantizeProblem({ dims, scaleDims: [], dst: 'uint8', zeroPoint: true }),
    target,
    { mode: options.mode },
  ).plan;
  const parts = concatPlans([extreme('max', 'highest'), extreme('min', 'lowest'), quantize]);
  const passes = [...parts.passes];
  passes.splice(passes.length - quantize.passes.length, 0, parametersPass(label));
  const total = elementCount(dims);
  return {
    ...parts,
    passes,
    operator: 'dynamic-quantize',
    algorithm: 'reduce',
    label,
    scratch: [...parts.scratch, { operand: 'highest', bytes: 16 }, { operand: 'lowest', bytes: 16 }],
    cost: { flops: 4 * total, bytes: 5 * total },
  };
}

function parametersPass(label: string): DispatchPass {
  return {
    label: `${label}/parameters`,
    wgsl: `
@group(0) @binding(0) var<storage, read> highest: array<f32>;
@group(0) @binding(1) var<storage, read> lowest: array<f32>;
@group(0) @binding(2) var<storage, read_write> scale: array<f32>;
@group(0) @binding(3) var<storage, read_write> zero_point: array<vec4i>;
${QUOTIENT_BITS}
${saturatedWgsl('uint8')}
fn extreme(value: f32) -> f32 {
  return select(max(value, 0.0f), 0.0f, (bitcast<u32>(value) & 0x7fffffffu) > 0x7f800000u);
}
@compute @workgroup_size(1)
fn main() {
  let high = extreme(highest[0]);
  let low = -extreme(-lowest[0]);
  let quotient = quotient_bits(bitcast<u32>(high - low), bitcast<u32>(255.0f));
  let bits = select(quotient, bitcast<u32>(1.0f), high == low);
  scale[0] = bitcast<f32>(bits);
  zero_point[0] = vec4i(saturated(quotient_bits(bitcast<u32>(-low), bits), 0), 0, 0, 0);
}`,
    bindings: [
      { operand: 'highest', access: 'read' },
      { operand: 'lowest', access: 'read' },
      { operand: 'scale', access: 'read_write' },
      { operand: 'zeroPoint', access: 'read_write' },
    ],
    workgroups: [1, 1, 1],
  };
}
