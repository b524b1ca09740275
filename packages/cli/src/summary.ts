/** What is told of a tensor instead of its elements: extents, range, mean, and the largest of a row of scores. */
import type { Tensor } from '@onegpu/onnx';
import { halfToNumber } from '@onegpu/onnx';

export interface TensorSummary {
  readonly type: string;
  readonly dims: readonly number[];
  readonly min?: number;
  readonly max?: number;
  readonly mean?: number;
  /** How many elements are NaN; they are left out of the other figures. */
  readonly nan?: number;
}

export interface RankedClass {
  readonly index: number;
  readonly value: number;
}

/** Elements as numbers: halves decoded, 64-bit integers rounded to float64; undefined for strings. */
export function toNumbers(tensor: Tensor): ArrayLike<number> | undefined {
  const { data, type } = tensor;
  if (Array.isArray(data)) return undefined;
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) return Array.from(data, Number);
  return type === 'float16' ? Float32Array.from(data, halfToNumber) : data;
}

export function summarizeTensor(tensor: Tensor): TensorSummary {
  const head = { type: tensor.type, dims: tensor.dims };
  const values = toNumbers(tensor);
  if (values === undefined || values.length === 0) return head;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  let sum = 0;
  let nan = 0;
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? Number.NaN;
    if (Number.isNaN(value)) {
      nan++;
      continue;
    }
    min = Math.min(min, value);
    max = Math.max(max, value);
    sum += value;
  }
  if (nan === values.length) return { ...head, nan };
  return { ...head, min, max, mean: sum / (values.length - nan), nan };
}

/** The `count` largest of each row of a [rows, classes] tensor; undefined for tensors of other ranks. */
export function topClasses(tensor: Tensor, count: number): readonly (readonly RankedClass[])[] | undefined {
  const [rows, classes] = tensor.dims;
  const values = toNumbers(tensor);
  if (tensor.dims.length !== 2 || rows === undefined || classes === undefined || values === undefined) {
    return undefined;
  }
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: classes }, (_, index) => ({ index, value: values[row * classes + index] ?? 0 }))
      .sort((a, b) => b.value - a.value)
      .slice(0, count),
  );
}
