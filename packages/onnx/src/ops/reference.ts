/** Parts of the references of operators: what they read, and the two kinds of outputs they give. */
import { halfToNumber } from '@onegpu/core';
import type { SumTolerance } from '@onegpu/kernels';
import type { NodeContext, ReferenceOutput } from '../op-definition.ts';
import { Tensor } from '../tensor.ts';
import { requireConstant } from './host-input.ts';

/** The values of a float32 or float16 input. */
export function floatsOf(context: NodeContext, index: number): Float32Array {
  return floatValues(requireConstant(context, index));
}

/** The values of a float32 or float16 tensor. */
export function floatValues({ type, data }: Tensor): Float32Array {
  if (type !== 'float16') return data as Float32Array;
  return Float32Array.from(data as Uint16Array, halfToNumber);
}

/** As `floatsOf`, undefined where the input is absent. */
export function optionalFloatsOf(context: NodeContext, index: number): Float32Array | undefined {
  return context.inputs[index] === undefined ? undefined : floatsOf(context, index);
}

/** `walk`: see `ReferenceOutput`. */
export function sums(
  dims: readonly number[],
  values: Float64Array,
  sum: SumTolerance,
  walk?: () => number,
): ReferenceOutput {
  return { kind: 'sum', dims, values, sum, ...(walk === undefined ? {} : { walk }) };
}

/** The walk of results, from the same sums of squared operands. */
export function walkOf(squaredSums: Float64Array): number {
  return Math.sqrt(squaredSums.reduce((most, value) => Math.max(most, value), 0));
}

export function squares(values: Float32Array): Float32Array;
export function squares(values: Float32Array | undefined): Float32Array | undefined;
export function squares(values: Float32Array | undefined): Float32Array | undefined {
  return values?.map((value) => value * value);
}

/** float32 elements that the operator picks from its inputs. */
export function picks(dims: readonly number[], values: ArrayLike<number>): ReferenceOutput {
  return { kind: 'exact', tensor: new Tensor('float32', new Float32Array(values), dims) };
}

/** Tensors that the operator must give bit for bit. */
export function exact(tensors: readonly Tensor[]): readonly ReferenceOutput[] {
  return tensors.map((tensor) => ({ kind: 'exact', tensor }));
}
