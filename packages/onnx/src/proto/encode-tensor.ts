/** Tensor to TensorProto, its elements in `raw_data`; the bytes are read back by `decodeTensor`. */
import onnxProto, { type onnx } from 'onnx-proto';
import type { Tensor } from '../tensor.ts';
import { dataTypeOf } from './element-type.ts';

export function tensorProto(name: string, { type, dims, data }: Tensor): onnx.ITensorProto {
  const head = { name, dims: [...dims], dataType: dataTypeOf(type) };
  if (Array.isArray(data)) {
    const encoder = new TextEncoder();
    return { ...head, stringData: data.map((text) => encoder.encode(text)) };
  }
  return { ...head, rawData: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
}

/** A file as ONNX's own tests keep inputs and outputs (`input_0.pb`). */
export function encodeTensor(name: string, tensor: Tensor): Uint8Array {
  return Uint8Array.from(onnxProto.onnx.TensorProto.encode(tensorProto(name, tensor)).finish());
}
