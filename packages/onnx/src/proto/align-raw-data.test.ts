import onnxProto from 'onnx-proto';
import { describe, expect, test } from 'vitest';
import { alignRawData } from './align-raw-data.ts';
import { decodeMessage } from './decode-message.ts';
import type { TensorProto } from './messages.ts';
import { readTensor } from './tensor-proto.ts';

const { DataType } = onnxProto.onnx.TensorProto;

/** A tensor decoded from bytes that begin `lead` bytes into their memory. */
function decoded(dataType: number, data: Uint8Array, dims: number[], lead: number): TensorProto {
  const encoded = onnxProto.onnx.TensorProto.encode({ name: 'w', dataType, dims, rawData: data }).finish();
  const memory = new Uint8Array(lead + encoded.length);
  memory.set(encoded, lead);
  return decodeMessage(memory.subarray(lead), 'TensorProto');
}

describe('alignRawData', () => {
  test.each([0, 1, 2, 3])('leaves the values of float32 and float16, %i bytes further on', (lead) => {
    const floats = Float32Array.from({ length: 50 }, (_, index) => index / 3);
    const halves = Uint16Array.from({ length: 75 }, (_, index) => index * 801);
    const tensors = [
      decoded(DataType.FLOAT, new Uint8Array(floats.buffer), [50], lead),
      decoded(DataType.FLOAT16, new Uint8Array(halves.buffer), [75], lead),
    ];
    alignRawData(tensors);
    for (const [index, values] of [floats, halves].entries()) {
      const proto = tensors[index] as TensorProto;
      expect(proto.rawData.byteOffset % values.BYTES_PER_ELEMENT).toBe(0);
      expect(readTensor(proto).data).toEqual(values);
      const { data } = readTensor(proto);
      expect(ArrayBuffer.isView(data) && data.buffer).toBe(proto.rawData.buffer);
    }
  });

  test('leaves short data and elements of eight bytes to be copied where they would move too far', () => {
    for (let lead = 0; lead < 8; lead++) {
      const short = Float32Array.of(1.5, 2.5);
      const long = BigInt64Array.from({ length: 40 }, (_, index) => 2n ** 40n + BigInt(index));
      const tensors = [
        decoded(DataType.FLOAT, new Uint8Array(short.buffer), [2], lead),
        decoded(DataType.INT64, new Uint8Array(long.buffer), [40], lead),
      ];
      alignRawData(tensors);
      expect(tensors.map((tensor) => readTensor(tensor).data)).toEqual([short, long]);
    }
  });
});
