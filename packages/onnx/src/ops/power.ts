/**
 * Pow: short forms for common exponents, and floats raised to integers computed on the GPU, which become floats first
 * (an exponent of more than 24 bits is rounded). https://onnx.ai/onnx/operators/onnx__Pow.html
 */
import {
  type Activation,
  makeBinaryProblem,
  makeUnaryProblem,
  selectBinary,
  selectUnary,
} from '@onegpu/kernels/core';
import { isFloatType, readNumbers } from '../host/numbers.ts';
import type { LowerContext, Lowering, NodeContext } from '../op-definition.ts';
import { elementCount } from '../tensor.ts';
import { dispatchOf } from './gpu-operands.ts';
import { requireInput } from './host-input.ts';
import { joinPlans, renameOperands } from './join-plans.ts';
import { kernelOptions } from './kernel-lowering.ts';
import { planMap, requireMapElement } from './map-lowering.ts';

/** Whether the exponent is a tensor of integers, which lies dense. */
export function raisesToIntegers(context: NodeContext): boolean {
  if (context.node.opType !== 'Pow' || constantPower(context) !== undefined) return false;
  return isFloatType(requireInput(context, 0).type) && !isFloatType(requireInput(context, 1).type);
}

/** A tensor of floats to a tensor of integers, both `nchw`. */
export function lowerToIntegers(context: LowerContext): Lowering {
  const { capabilities, activation } = context;
  const [base, exponents] = [requireInput(context, 0).dims, requireInput(context, 1).dims];
  const options = kernelOptions(context);
  const element = requireMapElement(context, 1);
  const toFloats = planMap(context, { function: 'convert', element, to: 'f32', operands: [exponents] });
  const dense = (dims: readonly number[]) => ({ dims, layout: 'nchw', constant: false }) as const;
  const problem = makeBinaryProblem({
    function: 'pow',
    lhs: dense(base),
    rhs: dense(exponents),
    layout: 'nchw',
    activation,
  });
  const plans = [
    renameOperands(toFloats.selection.plan, { src0: 'exponent', dst: 'partial0' }),
    renameOperands(selectBinary(problem, capabilities, options).plan, { rhs: 'partial0' }),
  ];
  const plan = joinPlans(plans, [4 * Math.max(1, elementCount(exponents))]);
  return dispatchOf({ plan }, { lhs: { input: 0 }, exponent: { input: 1 }, dst: { output: 0 } });
}

/** A known scalar exponent of any type, where it leaves the shape of the base. */
export function constantPower(context: NodeContext): number | undefined {
  const { constant, dims } = requireInput(context, 1);
  const base = requireInput(context, 0).dims;
  if (constant === undefined || constant.size !== 1 || dims.length > base.length) return undefined;
  return readNumbers(constant)[0];
}

/** Common exponents have exact or shorter forms. */
export function lowerPower(context: LowerContext, exponent: number): Lowering {
  const layout = context.layouts.inputs[0] ?? 'nchw';
  const { dims } = requireInput(context, 0);
  const options = kernelOptions(context);
  if (exponent === 2) {
    const operand = { dims, layout, constant: false } as const;
    const square = { function: 'mul', lhs: operand, rhs: operand, layout } as const;
    const problem = makeBinaryProblem({ ...square, activation: context.activation });
    const selection = selectBinary(problem, context.capabilities, options);
    return dispatchOf(selection, { lhs: { input: 0 }, rhs: { input: 0 }, dst: { output: 0 } });
  }
  const activation = [...powerSteps(exponent), ...context.activation];
  const problem = makeUnaryProblem({ dims, layout, activation });
  const selection = selectUnary(problem, context.capabilities, options);
  return dispatchOf(selection, { src: { input: 0 }, dst: { output: 0 } });
}

function powerSteps(exponent: number): readonly Activation[] {
  if (exponent === 1) return [];
  if (exponent === 0.5) return [{ kind: 'sqrt' }];
  if (exponent === -1) return [{ kind: 'reciprocal' }];
  if (exponent === -0.5) return [{ kind: 'sqrt' }, { kind: 'reciprocal' }];
  return [{ kind: 'power', exponent }];
}
