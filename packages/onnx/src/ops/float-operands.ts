/** Checks shared by operators whose operands are all float32. */
import { GpuKernelShapeError } from '@onegpu/core';
import type { NodeContext, ValueInfo } from '../op-definition.ts';

/** Input at `position`. @throws GpuKernelShapeError where it is absent or not float32. */
export function floatInput(context: NodeContext, position: number): ValueInfo {
  const input = context.inputs[position];
  if (input?.type === 'float32') return input;
  throw new GpuKernelShapeError('the operand is absent or of a type that is not built', {
    subject: `${context.node.opType} "${context.node.name}"`,
    field: `input ${position}`,
    got: input?.type ?? 'nothing',
    expected: 'float32',
  });
}

/** As `floatInput`, undefined where the input is absent. */
export function optionalFloatInput(context: NodeContext, position: number): ValueInfo | undefined {
  return context.inputs[position] === undefined ? undefined : floatInput(context, position);
}
