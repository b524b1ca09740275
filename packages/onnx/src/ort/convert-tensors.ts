/**
 * Tensors of onnxruntime-common as this runtime's and back, without a copy. They are alike but for float16, which
 * onnxruntime holds in a Float16Array where the platform has one.
 */
import { InvalidInputError } from '@onegpu/core';
import { Tensor as OrtTensor } from 'onnxruntime-common';
import type { GraphValue } from '../graph.ts';
import { Tensor, type TensorData, type TensorType } from '../tensor.ts';

/** @throws InvalidInputError for something that is no tensor, has a type of four bits, or lies in a texture or an MLTensor */
export function fromOrtTensor(subject: string, field: string, tensor: unknown): Tensor {
  const { type, dims, location = 'cpu' } = (tensor ?? {}) as Partial<OrtTensor>;
  if (type === undefined || dims === undefined) {
    const got = tensor === null ? 'null' : typeof tensor;
    throw new InvalidInputError('this is no Tensor', { subject, field, got, expected: 'a Tensor' });
  }
  if (location !== 'cpu' && location !== 'cpu-pinned' && location !== 'gpu-buffer') {
    throw new InvalidInputError('the data are neither on the CPU nor in a buffer', {
      subject,
      field,
      got: location === 'none' ? 'a disposed tensor' : location,
      expected: 'cpu or gpu-buffer',
      ...(location === 'none' ? {} : { remedy: 'Call `await tensor.getData()` before.' }),
    });
  }
  if (type === 'int4' || type === 'uint4') {
    const expected = 'an element type of whole bytes';
    throw new InvalidInputError('the type is not supported', { subject, field, got: type, expected });
  }
  if (location === 'gpu-buffer') {
    const { gpuBuffer } = tensor as OrtTensor;
    return Tensor.fromGpuBuffer(gpuBuffer as unknown as GPUBuffer, { dataType: type as TensorType, dims });
  }
  const { data } = tensor as OrtTensor;
  return new Tensor(type as TensorType, (type === 'float16' ? bitsOf(data) : data) as Float32Array, dims);
}

/** onnxruntime's constructor views the bits of float16 as its platform holds them. */
export function toOrtTensor(tensor: Tensor): OrtTensor {
  const { type, dims } = tensor;
  if (tensor.location === 'cpu') return hostTensor(type, tensor.data, dims);
  return OrtTensor.fromGpuBuffer(tensor.gpuBuffer, {
    dataType: type as OrtTensor.GpuBufferDataTypes,
    dims,
    download: async () => hostTensor(type, await tensor.getData(), dims).data as Float32Array,
    dispose: () => tensor.dispose(),
  });
}

function hostTensor(type: TensorType, data: TensorData, dims: readonly number[]): OrtTensor {
  return new OrtTensor(type as 'float32', data as Float32Array, [...dims]);
}

/** Types that onnxruntime-common has tensors in buffers of. */
const BUFFER_TYPES: readonly TensorType[] = [
  'float32',
  'float16',
  'int32',
  'int64',
  'uint32',
  'uint8',
  'bool',
];

/** @throws InvalidInputError for an output that onnxruntime has no tensor on the GPU for */
export function checkBufferTypes(outputs: readonly GraphValue[], onGpu: ReadonlySet<string>): void {
  const wrong = outputs.find(({ name, type }) => onGpu.has(name) && !BUFFER_TYPES.includes(type));
  if (wrong === undefined) return;
  throw new InvalidInputError('onnxruntime has no tensors of this type on the GPU', {
    subject: 'SessionOptions',
    field: `preferredOutputLocation.${wrong.name}`,
    got: wrong.type,
    expected: BUFFER_TYPES.join(', '),
  });
}

function bitsOf(data: unknown): unknown {
  if (!ArrayBuffer.isView(data) || data instanceof Uint16Array) return data;
  return new Uint16Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength / 2);
}
