/** Inputs that decide shapes: their values must be known on the host while planning. */
import { GpuKernelShapeError, InvalidModelError } from '@onegpu/core';
import type { GraphNode } from '../graph.ts';
import { isFloatType } from '../host/numbers.ts';
import type { NodeContext, ValueInfo } from '../op-definition.ts';
import type { Tensor } from '../tensor.ts';

/** A shape depends on a value that the host does not know; `value` is its name in the graph. */
export class HostValueError extends GpuKernelShapeError {
  readonly value: string;

  constructor(node: GraphNode, index: number) {
    const value = node.inputs[index] ?? '';
    super('the shape depends on a value that only the GPU would know', {
      subject: node.opType,
      field: `inputs[${index}]`,
      got: `"${value}" is computed from the data`,
      expected: 'a constant, or a value made from shapes and constants',
    });
    this.value = value;
  }
}

/**
 * An input that must be there.
 * @throws InvalidModelError when it is absent.
 */
export function requireInput(context: NodeContext, index: number): ValueInfo {
  const input = context.inputs[index];
  if (input !== undefined) return input;
  throw new InvalidModelError('an input is missing', {
    subject: `${context.node.opType} "${context.node.name}"`,
    field: `inputs[${index}]`,
  });
}

/** Types of all inputs, as refusals tell them. */
export function inputTypes({ inputs }: NodeContext): string {
  return inputs.map((input) => input?.type ?? 'nothing').join(', ');
}

/**
 * The value of an input that must be known on the host.
 * @throws HostValueError when only the GPU would know it.
 */
export function requireConstant(context: NodeContext, index: number): Tensor {
  const input = requireInput(context, index);
  if (input.constant !== undefined) return input.constant;
  throw new HostValueError(context.node, index);
}

/** An integer input as numbers; undefined when it is absent. @throws GpuKernelShapeError for floats, and outside 2^53. */
export function integerInput(context: NodeContext, index: number): readonly number[] | undefined {
  if (context.inputs[index] === undefined) return undefined;
  const { type, data } = requireConstant(context, index);
  const values = Array.from(data as ArrayLike<number | bigint>, Number);
  if (!isFloatType(type) && values.every((value) => Number.isSafeInteger(value))) return values;
  throw new GpuKernelShapeError('the input must hold integers', {
    subject: context.node.opType,
    field: `inputs[${index}]`,
    got: isFloatType(type) ? type : `[${values.join(', ')}]`,
  });
}

/** Axes from input `index` (opset 13 on) or from the attribute `axes` (before). */
export function axesOf(context: NodeContext, index: number): readonly number[] | undefined {
  return context.attributes.ints('axes') ?? integerInput(context, index);
}
