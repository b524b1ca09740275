/**
 * Seeded values for inputs that nobody gave: the same on every machine. Floats are normal with mean 0 and deviation 1
 * (what a normalised picture looks like), from Mulberry32 through the Box-Muller transform; integers are 0..9.
 */
import { allocateData, elementCount, numberToHalf, Tensor, type TensorType } from '@onegpu/onnx';

/** A tensor of `type` and `dims` filled from `seed`; texts stay empty. */
export function seededTensor(type: TensorType, dims: readonly number[], seed: number): Tensor {
  const length = elementCount(dims);
  const data = allocateData(type, length);
  const next = uniformStream(seed);
  for (let index = 0; index < length; index++) setValue(data, index, type, next);
  return new Tensor(type, data, dims);
}

function setValue(data: Tensor['data'], index: number, type: TensorType, next: () => number): void {
  if (Array.isArray(data)) return;
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) {
    data[index] = BigInt(Math.floor(next() * 10));
  } else if (type === 'float32' || type === 'float64') {
    data[index] = normal(next);
  } else if (type === 'float16') {
    data[index] = numberToHalf(normal(next));
  } else {
    data[index] = Math.floor(next() * (type === 'bool' ? 2 : 10));
  }
}

function normal(next: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

function uniformStream(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
