/** Parts of the references of operators: what they read, and the two kinds of outputs they give. */
import type { SumTolerance } from '@onegpu/kernels';
import type { NodeContext, OperatorDefinition, ReferenceOutput } from '../op-definition.ts';
import { Tensor } from '../tensor.ts';
import { requireConstant } from './host-input.ts';

/** The values of a float32 input. */
export function floatsOf(context: NodeContext, index: number): Float32Array {
  return requireConstant(context, index).data as Float32Array;
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

/** The reference of an operator that moves elements, or whose host evaluation is exact: that evaluation. */
export function exactly(
  evaluate: NonNullable<OperatorDefinition['evaluate']>,
): NonNullable<OperatorDefinition['reference']> {
  return (context) => evaluate(context).map((tensor) => ({ kind: 'exact', tensor }));
}
