/** Checks shared by operators whose operands are all floats of one type. */
import { GpuKernelShapeError } from '@onegpu/core';
import { NotBuiltError } from '../not-built.ts';
import type { NodeContext, ValueInfo } from '../op-definition.ts';

/** Input at `position`. @throws GpuKernelShapeError where it is absent, NotBuiltError where it is no float. */
export function floatInput(context: NodeContext, position: number): ValueInfo {
  const input = context.inputs[position];
  if (input?.type === 'float32' || input?.type === 'float16') return input;
  const details = {
    subject: context.node.opType,
    field: `inputs[${position}]`,
    expected: 'float32 or float16',
  };
  if (input === undefined) throw new GpuKernelShapeError('the operand is absent', details);
  throw new NotBuiltError('this type is not built', { ...details, got: input.type });
}

/** As `floatInput`, undefined where the input is absent. */
export function optionalFloatInput(context: NodeContext, position: number): ValueInfo | undefined {
  return context.inputs[position] === undefined ? undefined : floatInput(context, position);
}
