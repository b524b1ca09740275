/** Files written are read back bit for bit, files NumPy writes are read, and wrong files are refused. */
import { Tensor, type TensorType } from '@onegpu/onnx';
import { describe, expect, it } from 'vitest';
import { readNpy, writeNpy } from './npy.ts';

const NUMERIC: readonly Exclude<TensorType, 'string' | 'int64' | 'uint64'>[] = [
  'float16',
  'float32',
  'float64',
  'int8',
  'uint8',
  'int16',
  'uint16',
  'int32',
  'uint32',
  'bool',
];

function file(dict: string, data: Uint8Array, version = 1): Uint8Array {
  const header = new TextEncoder().encode(`${dict}\n`);
  const length = version === 1 ? [header.length & 255, header.length >> 8] : [header.length, 0, 0, 0];
  return Uint8Array.of(0x93, ...new TextEncoder().encode('NUMPY'), version, 0, ...length, ...header, ...data);
}

describe('npy', () => {
  it.each(NUMERIC)('keeps %s', (type) => {
    const tensor = new Tensor(type, [0, 1, 1, 0, 1, 0], [2, 3]);
    const bytes = writeNpy(tensor);
    const read = readNpy(bytes);
    expect(read.type).toBe(type);
    expect(read.dims).toEqual([2, 3]);
    expect(read.data).toEqual(tensor.data);
  });

  it('keeps 64-bit integers, scalars, vectors, empty arrays and views', () => {
    const big = new Tensor('int64', [-(2n ** 62n), 5n]);
    expect(readNpy(writeNpy(big)).data).toEqual(big.data);
    expect(readNpy(writeNpy(new Tensor('uint64', [2n ** 63n], []))).dims).toEqual([]);
    expect(readNpy(writeNpy(new Tensor('float32', [], [0, 4]))).dims).toEqual([0, 4]);
    const view = Float32Array.of(1, 2, 3, 4).subarray(1, 3);
    expect([...readNpy(writeNpy(new Tensor('float32', view))).data]).toEqual([2, 3]);
  });

  it('aligns the data to 64 bytes, as NumPy does', () => {
    const bytes = writeNpy(new Tensor('float32', [1.5], [1]));
    expect((bytes.length - 4) % 64).toBe(0);
    expect(new TextDecoder('latin1').decode(bytes.subarray(10, 128))).toContain("'shape': (1,), }");
  });

  it('reads version 2 headers at an odd offset', () => {
    const bytes = file(
      "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }",
      Uint8Array.of(1, 0, 255, 255),
      2,
    );
    const shifted = new Uint8Array(bytes.length + 1);
    shifted.set(bytes, 1);
    expect([...readNpy(shifted.subarray(1)).data]).toEqual([1, -1]);
  });

  it.each([
    [
      'Fortran order',
      file("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", new Uint8Array(4)),
      'Fortran',
    ],
    [
      'big-endian',
      file("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", new Uint8Array(4)),
      '>f4',
    ],
    ['complex', file("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", new Uint8Array(8)), '<c8'],
    [
      'short data',
      file("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", new Uint8Array(4)),
      'wrong length',
    ],
    ['no shape', file("{'descr': '<f4', 'fortran_order': False, }", new Uint8Array(4)), 'no shape'],
    ['a cut header', file("{'descr': '<f4'}", new Uint8Array(0)).subarray(0, 14), 'ends inside'],
    ['another file', new TextEncoder().encode('not an array'), 'not an .npy'],
    ['nothing', new Uint8Array(0), 'not an .npy'],
  ])('refuses %s', (_, bytes, message) => {
    expect(() => readNpy(bytes, 'x.npy')).toThrow(message);
  });
});
