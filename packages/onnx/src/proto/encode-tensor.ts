/** Tensor to TensorProto, its elements in `raw_data`; the bytes are read back by `decodeTensor`. */
import type { Tensor } from '../tensor.ts';
import { dataTypeOf } from './element-type.ts';
import { encodeMessage } from './encode-message.ts';

/** The fields of a TensorProto that are written. */
export interface WrittenTensor {
  name: string;
  dims: number[];
  dataType: number;
  stringData?: Uint8Array[];
  rawData?: Uint8Array;
}

export function tensorProto(name: string, { type, dims, data }: Tensor): WrittenTensor {
  const head = { name, dims: [...dims], dataType: dataTypeOf(type) };
  if (Array.isArray(data)) {
    const encoder = new TextEncoder();
    return { ...head, stringData: data.map((text) => encoder.encode(text)) };
  }
  return { ...head, rawData: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
}

/** A file as ONNX's own tests keep inputs and outputs (`input_0.pb`). */
export function encodeTensor(name: string, tensor: Tensor): Uint8Array {
  return encodeMessage(tensorProto(name, tensor), 'TensorProto');
}
