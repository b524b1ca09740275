/** Checks shared by operators whose operands are all float32. */
import { GpuKernelShapeError } from '@onegpu/core';
import { NotBuiltError } from '../not-built.ts';
import type { NodeContext, ValueInfo } from '../op-definition.ts';

/** Input at `position`. @throws GpuKernelShapeError where it is absent, NotBuiltError where it is not float32. */
export function floatInput(context: NodeContext, position: number): ValueInfo {
  const input = context.inputs[position];
  if (input?.type === 'float32') return input;
  const details = { subject: context.node.opType, field: `inputs[${position}]`, expected: 'float32' };
  if (input === undefined) throw new GpuKernelShapeError('the operand is absent', details);
  throw new NotBuiltError('this type is not built', { ...details, got: input.type });
}

/** As `floatInput`, undefined where the input is absent. */
export function optionalFloatInput(context: NodeContext, position: number): ValueInfo | undefined {
  return context.inputs[position] === undefined ? undefined : floatInput(context, position);
}
