/**
 * Nodes as typed element-wise functions of their inputs (the `map` kernels): integers, bools, bits of floats. The kernels
 * come with `extension.ts`.
 */
import type { MapElement, MapFunction, MapRequest } from '@onegpu/kernels/core';
import { extensionForNode, type PlannedMap } from '../extension.ts';
import { notBuilt } from '../not-built.ts';
import type { LowerContext, Lowering, OperandSource } from '../op-definition.ts';
import type { TensorType } from '../tensor.ts';
import { dispatchOf } from './gpu-operands.ts';
import { inputTypes, requireInput } from './host-input.ts';
import { kernelOptions } from './kernel-lowering.ts';

const ELEMENTS: Partial<Readonly<Record<TensorType, MapElement>>> = {
  float32: 'f32',
  float16: 'f32',
  int8: 'i32',
  int16: 'i32',
  int32: 'i32',
  int64: 'i64',
  uint8: 'u32',
  uint16: 'u32',
  uint32: 'u32',
  uint64: 'u64',
  bool: 'bool',
};

/** Element class that kernels see a type as; undefined for types the GPU does not hold. */
export function mapElement(type: TensorType): MapElement | undefined {
  return ELEMENTS[type];
}

/** @throws NotBuiltError naming the input of a type that the GPU does not hold. */
export function requireMapElement(context: LowerContext, index: number): MapElement {
  const { type } = requireInput(context, index);
  const element = mapElement(type);
  if (element !== undefined) return element;
  throw notBuilt(context.node.opType, `inputs[${index}]`, type, Object.keys(ELEMENTS).join(', '));
}

/** @throws NotBuiltError where input `index` is of another class than the kernel reads. */
export function requireElement(context: LowerContext, index: number, element: MapElement): void {
  if (requireMapElement(context, index) === element) return;
  const expected = Object.keys(ELEMENTS).filter((type) => ELEMENTS[type as TensorType] === element);
  throw notBuilt(context.node.opType, `inputs[${index}]`, inputTypes(context), expected.join(' or '));
}

export interface MapLowering {
  readonly function: MapFunction;
  readonly element: MapElement;
  readonly to?: MapElement;
  /** Positions of the inputs that are its operands, in order; absent: the first ones. */
  readonly inputs?: readonly number[];
}

/** One dispatch from the inputs to the one output. @throws NotBuiltError for inputs of another class than `element` */
export function lowerMap(context: LowerContext, request: MapLowering): Lowering {
  const { inputs = context.inputs.map((_, index) => index), ...rest } = request;
  if (rest.function !== 'where') for (const index of inputs) requireElement(context, index, rest.element);
  const operands = inputs.map((index) => requireInput(context, index).dims);
  const { selection } = planMap(context, { ...rest, operands });
  const sources = inputs.map((input, index): [string, OperandSource] => [`src${index}`, { input }]);
  return dispatchOf(selection, { ...Object.fromEntries(sources), dst: { output: 0 } });
}

/** @throws NotBuiltError in the entry for browsers */
export function planMap(context: LowerContext, request: MapRequest): PlannedMap {
  const { opType } = context.node;
  const extension = extensionForNode(opType, 'inputs', inputTypes(context));
  return extension.planMap(request, context.capabilities, kernelOptions(context));
}
