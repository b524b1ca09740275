/** What operators over quantised tensors ask of their operands. */
import type { GpuKernelShapeError } from '@onegpu/core';
import type { ByteType } from '@onegpu/kernels';
import { misfit } from '@onegpu/kernels';
import { notBuilt } from '../not-built.ts';
import type { NodeContext } from '../op-definition.ts';
import { requireConstant, requireInput } from './host-input.ts';

/** The type of input `index`, int8 or uint8. @throws NotBuiltError for other types. */
export function byteType(context: NodeContext, index: number): ByteType {
  const { type } = requireInput(context, index);
  if (type === 'int8' || type === 'uint8') return type;
  throw notBuilt(context.node.opType, `inputs[${index}]`, type, 'int8 or uint8');
}

/**
 * Dims of the zero point at `index` of a tensor of `type`; undefined where it is absent.
 * @throws GpuKernelShapeError where its type is another.
 */
export function zeroPointDims(
  context: NodeContext,
  index: number,
  type: ByteType,
): readonly number[] | undefined {
  const zeroPoint = context.inputs[index];
  if (zeroPoint === undefined) return undefined;
  if (zeroPoint.type === type) return zeroPoint.dims;
  throw misfitInput(context, index, zeroPoint.type, `${type}, as the tensor it belongs to`);
}

/** @throws GpuKernelShapeError where input `index` is there and not one element. */
export function requireOne(context: NodeContext, index: number): void {
  const dims = context.inputs[index]?.dims;
  if (dims === undefined || (dims.length <= 1 && dims.every((extent) => extent === 1))) return;
  throw misfitInput(context, index, `[${dims.join(', ')}]`, 'a scalar');
}

/** The numbers of a constant input of at most 32 bits; undefined where it is absent. */
export function numbersOf(context: NodeContext, index: number): ArrayLike<number> | undefined {
  if (context.inputs[index] === undefined) return undefined;
  return requireConstant(context, index).data as ArrayLike<number>;
}

export function misfitInput(
  context: NodeContext,
  index: number,
  got: string,
  expected: string,
): GpuKernelShapeError {
  return misfit(context.node.opType, `inputs[${index}]`, got, expected);
}
