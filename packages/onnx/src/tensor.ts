/** Tensors at the API and constants inside a graph; the shape of onnxruntime-common's `Tensor`. */
import { type GpuDevice, InvalidInputError } from '@onegpu/core';
import { elementCount } from '@onegpu/kernels/core';
import { checkOptions, kindOf } from './describe.ts';
import { GpuStorage } from './gpu-storage.ts';

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

/** `cpu`: `data` holds the elements. `gpu-buffer`: `gpuBuffer` does, and `getData` brings them to the host. */
export type TensorLocation = 'cpu' | 'gpu-buffer';

export interface GpuTensorOptions<T extends TensorType = TensorType> {
  /** Default `float32`. */
  readonly dataType?: T;
  readonly dims: readonly number[];
  /** The buffer's device; without it `getData` needs `download`, and `drawTensor` draws nothing. */
  readonly device?: GpuDevice;
  readonly download?: () => Promise<TensorDataMap[T]>;
  /** Called once, by `dispose`; by default the buffer is left alone. */
  readonly dispose?: () => void;
}

/**
 * A tensor, dense and row-major; `dims` may hold zeros (an empty tensor). It lies on the host, or in a buffer of the GPU:
 * an output under `preferredOutputLocation`, or a buffer of the caller's. A tensor on the GPU holds memory until it is
 * disposed of: whoever got it does that, nothing else does before the device ends.
 */
export class Tensor<T extends TensorType = TensorType> {
  readonly type: T;
  readonly dims: readonly number[];
  /** On the host. @throws InvalidInputError for a tensor on the GPU */
  readonly data: TensorDataMap[T];
  readonly #gpu: GpuStorage | undefined;

  /** @throws InvalidInputError for an unknown type, and `data` of another class or length than type and dims say. */
  constructor(
    type: T,
    data: TensorDataMap[T] | readonly number[] | readonly bigint[] | GpuStorage,
    dims?: readonly number[],
  ) {
    if (type !== 'string') checkType(type, ' or string');
    const gpu = data instanceof GpuStorage ? data : undefined;
    if (!(data instanceof GpuStorage)) checkElements(type, data);
    const shape = dims ?? [data instanceof GpuStorage ? 0 : data.length];
    checkDims(shape);
    if (!(data instanceof GpuStorage) && elementCount(shape) !== data.length) {
      throw new InvalidInputError('the number of elements differs from dims', {
        subject: 'Tensor',
        field: 'data',
        got: `${data.length} elements`,
        expected: `${elementCount(shape)} for [${shape.join(', ')}]`,
      });
    }
    this.type = type;
    this.dims = [...shape];
    this.#gpu = gpu;
    if (data instanceof GpuStorage) {
      this.data = undefined as never;
      Object.defineProperty(this, 'data', { get: refuseData, enumerable: false });
    } else this.data = toTypedData(type, data);
  }

  /**
   * A tensor in a buffer of the caller's, usage COPY_SRC, and STORAGE to be drawn; it may be fed to sessions on the
   * buffer's device.
   * @throws InvalidInputError for a buffer that does not hold it
   */
  static fromGpuBuffer<T extends TensorType = 'float32'>(
    buffer: GPUBuffer,
    options: GpuTensorOptions<T>,
  ): Tensor<T> {
    checkOptions('Tensor.fromGpuBuffer', options);
    const { dataType = 'float32' as T, dims, device, download, dispose } = options;
    checkType(dataType);
    checkDims(dims);
    const bytes = elementCount(dims) * ARRAY_CLASSES[dataType as NumericType].BYTES_PER_ELEMENT;
    return new Tensor(dataType, new GpuStorage({ buffer, bytes, device, download, dispose }), dims);
  }

  get location(): TensorLocation {
    return this.#gpu === undefined ? 'cpu' : 'gpu-buffer';
  }

  /** @throws InvalidInputError for a tensor on the host, or disposed of */
  get gpuBuffer(): GPUBuffer {
    if (this.#gpu !== undefined) return this.#gpu.buffer;
    throw new InvalidInputError('the tensor is on the host', { subject: 'Tensor', field: 'gpuBuffer' });
  }

  /** Of a tensor on the GPU, where it is known. */
  get device(): GpuDevice | undefined {
    return this.#gpu?.device;
  }

  /** Number of elements. */
  get size(): number {
    return this.#gpu === undefined ? this.data.length : elementCount(this.dims);
  }

  /** The elements on the host: `data`, or a copy of what the GPU has computed. @throws InvalidInputError, GpuDeviceLostError */
  async getData(): Promise<TensorDataMap[T]> {
    const gpu = this.#gpu;
    if (gpu === undefined) return this.data;
    const arrayClass = ARRAY_CLASSES[this.type as NumericType];
    if (gpu.buffer !== undefined && gpu.download !== undefined) {
      const data = await gpu.download();
      if (data instanceof arrayClass && data.length === this.size) return data as TensorDataMap[T];
      throw new InvalidInputError('download gave something else', {
        subject: 'Tensor',
        field: 'download',
        got: data instanceof arrayClass ? `${data.length} elements` : kindOf(data),
        expected: `${arrayClass.name} of ${this.size} elements`,
      });
    }
    return new arrayClass(await gpu.read()) as TensorDataMap[T];
  }

  /** Frees the buffer of a tensor on the GPU, which is of no use then; again, or on the host, it does nothing. */
  dispose(): void {
    this.#gpu?.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

function refuseData(): never {
  throw new InvalidInputError('the data is on the GPU', {
    subject: 'Tensor',
    field: 'data',
    remedy: 'Read it back: await tensor.getData().',
  });
}

type NumericType = Exclude<TensorType, 'string'>;

function checkType(type: TensorType, others = ''): void {
  if (Object.hasOwn(ARRAY_CLASSES, type)) return;
  throw new InvalidInputError('there is no such element type', {
    subject: 'Tensor',
    field: 'type',
    got: String(type),
    expected: `${Object.keys(ARRAY_CLASSES).join(', ')}${others}`,
  });
}

function checkDims(dims: readonly number[]): void {
  const isList = Array.isArray(dims) || ArrayBuffer.isView(dims);
  if (isList && dims.every((extent) => Number.isSafeInteger(extent) && extent >= 0)) return;
  throw new InvalidInputError('dims must be non-negative integers', {
    subject: 'Tensor',
    field: 'dims',
    got: isList ? `[${dims.join(', ')}]` : kindOf(dims),
  });
}

/** Whether there are elements at all; typed arrays and lists of another type are told of later. */
function checkElements(type: TensorType, data: unknown): void {
  const isList = Array.isArray(data);
  if (
    type === 'string' ? isList && data.every((entry) => typeof entry === 'string') : isList || isArray(data)
  )
    return;
  throw new InvalidInputError('the data holds no elements of this type', {
    subject: 'Tensor',
    field: 'data',
    got: kindOf(data),
    expected: type === 'string' ? 'an array of texts' : ARRAY_CLASSES[type].name,
  });
}

function isArray(data: unknown): boolean {
  return ArrayBuffer.isView(data) && !(data instanceof DataView);
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
