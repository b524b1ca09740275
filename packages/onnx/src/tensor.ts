/** Tensors at the API and constants inside a graph; the shape of onnxruntime-common's `Tensor`. */
import { InvalidInputError } from '@onegpu/core';
import { elementCount } from '@onegpu/kernels';

export { elementCount };

export type TensorType =
  | 'float32'
  | 'float64'
  | 'float16'
  | 'int8'
  | 'uint8'
  | 'int16'
  | 'uint16'
  | 'int32'
  | 'uint32'
  | 'int64'
  | 'uint64'
  | 'bool'
  | 'string';

/** The array class that holds each type: float16 as raw bits in Uint16Array, bool as 0 or 1 in Uint8Array. */
export interface TensorDataMap {
  float32: Float32Array;
  float64: Float64Array;
  float16: Uint16Array;
  int8: Int8Array;
  uint8: Uint8Array;
  int16: Int16Array;
  uint16: Uint16Array;
  int32: Int32Array;
  uint32: Uint32Array;
  int64: BigInt64Array;
  uint64: BigUint64Array;
  bool: Uint8Array;
  string: string[];
}

export type TensorData = TensorDataMap[TensorType];

/** The typed array class of each numeric type. */
export const ARRAY_CLASSES = {
  float32: Float32Array,
  float64: Float64Array,
  float16: Uint16Array,
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  bool: Uint8Array,
} as const;

/** A zero-filled array of the class that holds `type`. */
export function allocateData(type: TensorType, length: number): TensorData {
  return type === 'string' ? new Array<string>(length).fill('') : new ARRAY_CLASSES[type](length);
}

/** A tensor on the host: `data` is dense and row-major, `dims` may hold zeros (an empty tensor). */
export class Tensor<T extends TensorType = TensorType> {
  readonly type: T;
  readonly dims: readonly number[];
  readonly data: TensorDataMap[T];

  /** @throws InvalidInputError for an unknown type, and `data` of another class or length than type and dims say. */
  constructor(
    type: T,
    data: TensorDataMap[T] | readonly number[] | readonly bigint[],
    dims?: readonly number[],
  ) {
    if (type !== 'string' && !Object.hasOwn(ARRAY_CLASSES, type)) {
      throw new InvalidInputError('there is no such element type', {
        subject: 'Tensor',
        field: 'type',
        got: String(type),
        expected: `${Object.keys(ARRAY_CLASSES).join(', ')} or string`,
      });
    }
    const shape = dims ?? [data.length];
    if (!shape.every((extent) => Number.isSafeInteger(extent) && extent >= 0)) {
      throw new InvalidInputError('dims must be non-negative integers', {
        subject: 'Tensor',
        field: 'dims',
        got: `[${shape.join(', ')}]`,
      });
    }
    if (elementCount(shape) !== data.length) {
      throw new InvalidInputError('the number of elements differs from dims', {
        subject: 'Tensor',
        field: 'data',
        got: `${data.length} elements`,
        expected: `${elementCount(shape)} for [${shape.join(', ')}]`,
      });
    }
    this.type = type;
    this.dims = [...shape];
    this.data = toTypedData(type, data);
  }

  /** Number of elements. */
  get size(): number {
    return this.data.length;
  }
}

function toTypedData<T extends TensorType>(
  type: T,
  data: TensorData | readonly number[] | readonly bigint[],
): TensorDataMap[T] {
  if (type === 'string') return data as TensorDataMap[T];
  const arrayClass = ARRAY_CLASSES[type as Exclude<TensorType, 'string'>];
  if (data instanceof arrayClass) return data as TensorDataMap[T];
  if (!Array.isArray(data)) {
    throw new InvalidInputError('the array class does not hold this type', {
      subject: 'Tensor',
      field: 'data',
      got: data.constructor.name,
      expected: arrayClass.name,
    });
  }
  const from = (arrayClass as unknown as { from(values: readonly unknown[]): TensorDataMap[T] }).from;
  try {
    return from.call(arrayClass, data);
  } catch (cause) {
    // Numbers and bigints do not convert into each other.
    throw new InvalidInputError(
      'an element does not have this type',
      { subject: 'Tensor', field: 'data', got: (cause as Error).message, expected: type },
      { cause },
    );
  }
}
