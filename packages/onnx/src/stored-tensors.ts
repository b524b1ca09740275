/**
 * Where the values of one execution plan are stored: a value may lie in either layout or in both, a reshaped value
 * shares the storage of its source, and constants are uploaded once a session in the arrangement a kernel wants.
 */
import {
  type GpuElementType,
  type OperandArray,
  type OperandPacking,
  type PackingMemory,
  UnsupportedOperatorError,
} from '@onegpu/core';
import { type Layout, layoutElements, packNhwc4 } from '@onegpu/kernels/core';
import { heldData } from './let-go.ts';
import type { ValueInfo } from './op-definition.ts';
import { elementCount, type Tensor, type TensorType } from './tensor.ts';

/** Storage of one activation: a range of an arena, found by the memory plan under `id`. */
export interface StoredTensor {
  readonly id: string;
  readonly type: GpuElementType;
  readonly elements: number;
  readonly layout: Layout;
}

/** A constant as some kernel reads it; the same `key` is the same data in every plan of its scope. */
export interface StoredConstant {
  readonly key: string;
  /** `model`: uploaded once a session. `plan`: shape arithmetic, known for the shapes of one plan only. */
  readonly scope: 'model' | 'plan';
  readonly type: GpuElementType;
  /** Bytes of the data; undefined where only making them tells. */
  readonly bytes: number | undefined;
  /** The bytes to upload, made in `memory` where they are packed into a new arrangement. */
  readonly data: (memory?: PackingMemory) => ArrayBufferView;
  /** The same constant as another plan wants it. */
  readonly arranged: (packing: OperandPacking | undefined) => StoredConstant;
}

/** The element that a tensor's type has on the GPU. @throws UnsupportedOperatorError naming `value`. */
export function gpuElementType(type: TensorType, value: string): GpuElementType {
  const element = GPU_TYPES[type];
  if (element !== undefined) return element;
  const reason = `tensors of ${type} are not built for the GPU, only ${Object.keys(GPU_TYPES).join(', ')}`;
  throw new UnsupportedOperatorError([{ node: value, operator: 'value', reason }]);
}

const GPU_TYPES: Partial<Record<TensorType, GpuElementType>> = {
  float32: 'float32',
  float16: 'float16',
  int64: 'int64',
  uint64: 'uint64',
  int32: 'int32',
  uint32: 'uint32',
  int16: 'int16',
  uint16: 'uint16',
  int8: 'int8',
  uint8: 'uint8',
  bool: 'uint8',
};

/** Whether both layouts of these dims are the same bytes: one pixel, and no padding lanes. */
export function layoutsCoincide(dims: readonly number[]): boolean {
  const [, channels = 1, ...spatial] = dims;
  return dims.length >= 2 && channels % 4 === 0 && elementCount(spatial) === 1;
}

/** The storage of every value made so far in one plan. */
export class StoredTensors {
  readonly #byValue = new Map<string, Map<Layout, StoredTensor>>();
  readonly #all = new Map<string, StoredTensor>();

  /** All storages made, in order. */
  get all(): readonly StoredTensor[] {
    return [...this.#all.values()];
  }

  /** New storage for a value that is about to be written. */
  create(value: string, info: ValueInfo, layout: Layout): StoredTensor {
    const stored: StoredTensor = {
      id: `${value}:${layout}`,
      type: gpuElementType(info.type, value),
      elements: layoutElements(info.dims, layout),
      layout,
    };
    this.#all.set(stored.id, stored);
    this.#place(value, layout, stored);
    if (layoutsCoincide(info.dims)) this.#place(value, layout === 'nchw' ? 'nhwc4' : 'nchw', stored);
    return stored;
  }

  /** `value` is the storage of `source`, read under other dims. */
  alias(value: string, source: StoredTensor, dims: readonly number[]): void {
    this.#place(value, 'nchw', source);
    if (layoutsCoincide(dims)) this.#place(value, 'nhwc4', source);
  }

  find(value: string, layout: Layout): StoredTensor | undefined {
    return this.#byValue.get(value)?.get(layout);
  }

  /** The layouts a value lies in, the one it was written in first. */
  layoutsOf(value: string): readonly Layout[] {
    return [...(this.#byValue.get(value)?.keys() ?? [])];
  }

  #place(value: string, layout: Layout, stored: StoredTensor): void {
    const layouts = this.#byValue.get(value) ?? new Map<Layout, StoredTensor>();
    layouts.set(layout, stored);
    this.#byValue.set(value, layouts);
  }
}

export interface ConstantRequest {
  readonly value: string;
  readonly tensor: Tensor;
  readonly scope: StoredConstant['scope'];
  readonly layout: Layout;
  /** The arrangement the plan asks for; it takes the dense tensor. */
  readonly packing: OperandPacking | undefined;
}

/** A constant operand: packed as the plan asks, else laid out as the kernel was told. */
export function storedConstant(request: ConstantRequest): StoredConstant {
  const { value, tensor, scope, layout, packing } = request;
  const type = gpuElementType(tensor.type, value);
  const { BYTES_PER_ELEMENT, byteLength } = tensor.data as OperandArray;
  // Asked for when they are uploaded: what holds the closures does not hold the elements.
  const elements = (): OperandArray => heldData(tensor, value) as OperandArray;
  const arranged = (other: OperandPacking | undefined): StoredConstant =>
    storedConstant({ ...request, packing: other });
  const common = { scope, type, arranged };
  if (packing !== undefined) {
    const packed = (memory?: PackingMemory): ArrayBufferView => packing.pack(elements(), memory);
    const bytes = packing.elements === undefined ? undefined : packing.elements * BYTES_PER_ELEMENT;
    return { ...common, key: `${value}|${packing.key}`, bytes, data: packed };
  }
  if (layout === 'nhwc4' && !layoutsCoincide(tensor.dims)) {
    const bytes = layoutElements(tensor.dims, layout) * BYTES_PER_ELEMENT;
    return { ...common, key: `${value}|nhwc4`, bytes, data: () => packNhwc4(elements(), tensor.dims) };
  }
  return { ...common, key: value, bytes: byteLength, data: elements };
}
