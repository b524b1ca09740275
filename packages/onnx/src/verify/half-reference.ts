/**
 * References of float16 results. Operators compute theirs in float64 and give float32 what they pick; a float16 result is
 * that, rounded once: sums may be off by the rounding and by what float32 arithmetic costs, picked elements not at all.
 */
import { numberToHalf } from '@onegpu/core';
import type { ReferenceOutput } from '../op-definition.ts';
import { Tensor, type TensorType } from '../tensor.ts';

/** The reference of an output of this type. */
export function referenceOfType(reference: ReferenceOutput, type: TensorType | undefined): ReferenceOutput {
  if (type !== 'float16') return reference;
  if (reference.kind === 'sum') return { ...reference, sum: { ...reference.sum, half: true } };
  const { tensor } = reference;
  return tensor.type === 'float32'
    ? { kind: 'exact', tensor: halfTensor(tensor.data, tensor.dims) }
    : reference;
}

/** Each value rounded to the nearest half, ties to even. */
export function halfTensor(values: Tensor['data'] | Float64Array, dims: readonly number[]): Tensor {
  return new Tensor('float16', Uint16Array.from(values as ArrayLike<number>, numberToHalf), dims);
}
