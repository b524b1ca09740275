/**
 * Tensors of onnxruntime-common as this runtime's and back, without a copy. They are alike but for float16, which
 * onnxruntime holds in a Float16Array where the platform has one, and for tensors that lie on a GPU.
 */
import { InvalidInputError } from '@onegpu/core';
import { Tensor as OrtTensor } from 'onnxruntime-common';
import { Tensor, type TensorType } from '../tensor.ts';

/** @throws InvalidInputError for something that is no tensor, has a type of four bits, or does not lie on the CPU */
export function fromOrtTensor(subject: string, field: string, tensor: unknown): Tensor {
  const { type, dims, location = 'cpu' } = (tensor ?? {}) as Partial<OrtTensor>;
  if (type === undefined || dims === undefined) {
    const got = tensor === null ? 'null' : typeof tensor;
    throw new InvalidInputError('this is no Tensor', { subject, field, got, expected: 'a Tensor' });
  }
  if (location !== 'cpu' && location !== 'cpu-pinned') {
    throw new InvalidInputError('the data are not on the CPU', {
      subject,
      field,
      got: location === 'none' ? 'a disposed tensor' : location,
      expected: 'cpu',
      ...(location === 'none' ? {} : { remedy: 'Call `await tensor.getData()` before.' }),
    });
  }
  if (type === 'int4' || type === 'uint4') {
    const expected = 'an element type of whole bytes';
    throw new InvalidInputError('the type is not supported', { subject, field, got: type, expected });
  }
  const { data } = tensor as OrtTensor;
  return new Tensor(type as TensorType, (type === 'float16' ? bitsOf(data) : data) as Float32Array, dims);
}

/** onnxruntime's constructor views the bits of float16 as its platform holds them. */
export function toOrtTensor({ type, data, dims }: Tensor): OrtTensor {
  return new OrtTensor(type as 'float32', data as Float32Array, [...dims]);
}

function bitsOf(data: unknown): unknown {
  if (!ArrayBuffer.isView(data) || data instanceof Uint16Array) return data;
  return new Uint16Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength / 2);
}
