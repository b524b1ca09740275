import { InvalidModelError } from '@onegpu/core';
import type { onnx } from 'onnx-proto';
import { describe, expect, it } from 'vitest';
import { encodeModel, modelProto } from '../../test/model-builder.ts';
import { Tensor } from '../tensor.ts';
import { decodeModel } from './decode-model.ts';
import { tensorProto } from './encode-tensor.ts';
import { externalLocations } from './external-data.ts';
import type { TensorProto } from './messages.ts';
import { readTensor, refuseTensor } from './tensor-proto.ts';

/** The proto after a way through the wire, where lists are packed and integers become bigint. */
function decoded(proto: onnx.ITensorProto): TensorProto {
  const model = modelProto({});
  const bytes = encodeModel({ ...model, graph: { ...model.graph, initializer: [proto] } });
  const [tensor] = decodeModel(bytes).graph?.initializer ?? [];
  if (tensor === undefined) throw new Error('no tensor came back');
  return tensor;
}

function external(entries: Readonly<Record<string, string>>): TensorProto {
  const externalData = Object.entries(entries).map(([key, value]) => ({ key, value }));
  return decoded({ name: 'w', dims: [2], dataType: 1, dataLocation: 1, externalData });
}

describe('readTensor', () => {
  it.each([
    new Tensor('float32', [1.5, -0, Number.NaN, 3], [2, 2]),
    new Tensor('float64', [1.25, 2]),
    new Tensor('float16', [0x3c00, 0xfc00]),
    new Tensor('int8', [-128, 127]),
    new Tensor('uint8', [0, 255]),
    new Tensor('int16', [-32768, 32767]),
    new Tensor('uint16', [65535]),
    new Tensor('int32', [-(2 ** 31), 2 ** 31 - 1]),
    new Tensor('uint32', [2 ** 32 - 1]),
    new Tensor('int64', [-(2n ** 63n), 2n ** 63n - 1n]),
    new Tensor('uint64', [2n ** 64n - 1n]),
    new Tensor('bool', [0, 1, 1]),
    new Tensor('string', ['a', '']),
    new Tensor('float32', [], [0, 3]),
    new Tensor('float32', [7], []),
  ])('reads raw data of $type $dims', (tensor) => {
    const read = readTensor(decoded(tensorProto('w', tensor)));
    expect(read.type).toBe(tensor.type);
    expect(read.dims).toEqual(tensor.dims);
    expect(read.data).toEqual(tensor.data);
  });

  const lists: readonly (readonly [onnx.ITensorProto, Tensor])[] = [
    [{ dataType: 1, floatData: [1.5, -2] }, new Tensor('float32', [1.5, -2])],
    [{ dataType: 11, doubleData: [0.1, 2] }, new Tensor('float64', [0.1, 2])],
    [{ dataType: 10, int32Data: [0x3c00, 0xc000] }, new Tensor('float16', [0x3c00, 0xc000])],
    [{ dataType: 3, int32Data: [-1, 127] }, new Tensor('int8', [-1, 127])],
    [{ dataType: 2, int32Data: [0, 255] }, new Tensor('uint8', [0, 255])],
    [{ dataType: 6, int32Data: [-5, 2 ** 31 - 1] }, new Tensor('int32', [-5, 2 ** 31 - 1])],
    [{ dataType: 9, int32Data: [1, 0] }, new Tensor('bool', [1, 0])],
    [{ dataType: 7, int64Data: [-3, 2 ** 40] }, new Tensor('int64', [-3n, 2n ** 40n])],
    [{ dataType: 13, uint64Data: [3, 2 ** 40] }, new Tensor('uint64', [3n, 2n ** 40n])],
    [{ dataType: 12, uint64Data: [3, 2 ** 32 - 1] }, new Tensor('uint32', [3, 2 ** 32 - 1])],
  ];

  it.each(lists)('reads the typed list %j', (proto, expected) => {
    const read = readTensor(decoded({ name: 'w', dims: [2], ...proto }));
    expect(read.type).toBe(expected.type);
    expect(read.data).toEqual(expected.data);
  });

  it('copies only where the bytes are not aligned', () => {
    const buffer = new ArrayBuffer(16);
    new Float32Array(buffer).set([1, 2, 3, 4]);
    const proto = decoded({ name: 'w', dims: [2], dataType: 1 });
    const at = (offset: number): Tensor =>
      readTensor(
        Object.assign(Object.create(proto), { dims: [2n], rawData: new Uint8Array(buffer, offset, 8) }),
      );
    expect(at(4).data).toEqual(new Float32Array([2, 3]));
    expect((at(4).data as Float32Array).buffer).toBe(buffer);
    expect((at(2).data as Float32Array).buffer).not.toBe(buffer);
  });

  it('reads any non-zero byte of a bool as true', () => {
    const proto = decoded({ name: 'w', dims: [3], dataType: 9, rawData: new Uint8Array([0, 1, 2]) });
    expect(readTensor(proto).data).toEqual(new Uint8Array([0, 1, 1]));
  });

  it.each([
    ['too few raw bytes', { dims: [3], dataType: 1, rawData: new Uint8Array(8) }, /8 bytes.*12 bytes/],
    ['too many raw bytes', { dims: [1], dataType: 1, rawData: new Uint8Array(8) }, /8 bytes.*4 bytes/],
    ['a list of another length', { dims: [3], dataType: 1, floatData: [1] }, /got 1, expected 3/],
    ['no data at all', { dims: [3], dataType: 1 }, /0 bytes/],
    ['the list of another type', { dims: [1], dataType: 1, int64Data: [1] }, /int64Data/],
    [
      'data twice',
      { dims: [1], dataType: 1, floatData: [1], rawData: new Uint8Array(4) },
      /floatData and rawData/,
    ],
    ['a negative extent', { dims: [-1], dataType: 1 }, /dims.*\[-1\]/],
    ['more elements than can be counted', { dims: [2 ** 30, 2 ** 30], dataType: 1 }, /dims/],
  ])('refuses %s', (_, proto, message) => {
    const tensor = decoded({ name: 'the weight', ...proto });
    expect(() => readTensor(tensor)).toThrow(InvalidModelError);
    expect(() => readTensor(tensor)).toThrow(message);
    expect(() => readTensor(tensor)).toThrow(/the weight/);
  });

  it('names element types it cannot hold', () => {
    expect(refuseTensor(decoded({ dataType: 16 }))).toMatch(/bfloat16/);
    expect(refuseTensor(decoded({ dataType: 22 }))).toMatch(/int4/);
    expect(refuseTensor(decoded({ dataType: 99 }))).toMatch(/99/);
    expect(refuseTensor(decoded({ dataType: 1 }))).toBeUndefined();
  });
});

describe('external data', () => {
  const file = new Uint8Array(new Float32Array([1, 2, 3, 4]).buffer);
  const files = (location: string): Uint8Array | undefined => (location === 'a/w.bin' ? file : undefined);

  it('is a view of the file at its offset', () => {
    const read = readTensor(external({ location: 'a/w.bin', offset: '8', length: '8' }), files);
    expect(read.data).toEqual(new Float32Array([3, 4]));
    expect((read.data as Float32Array).buffer).toBe(file.buffer);
    expect(readTensor(external({ location: 'a/w.bin' }), files).data).toEqual(new Float32Array([1, 2]));
  });

  it('lists each file once', () => {
    const w = {
      dims: [2],
      dataType: 1,
      dataLocation: 1,
      externalData: [{ key: 'location', value: 'w.bin' }],
    };
    const model = modelProto({});
    const names = ['w1', 'w2'].map((name) => ({ name, ...w }));
    const bytes = encodeModel({ ...model, graph: { ...model.graph, initializer: names } });
    expect(externalLocations(decodeModel(bytes))).toEqual(['w.bin']);
  });

  it.each([
    [{ location: 'a/w.bin', offset: '12' }, /too short/],
    [{ location: 'a/w.bin', length: '4' }, /length/],
    [{ location: 'a/w.bin', offset: '-4' }, /offset.*"-4"/],
    [{ location: 'b.bin' }, /missing/],
    [{ location: '../w.bin' }, /folder of the model/],
    [{ location: 'a/../../w.bin' }, /folder of the model/],
    [{ location: 'a\\..\\..\\w.bin' }, /folder of the model/],
    [{ location: '/etc/passwd' }, /folder of the model/],
    [{ location: 'C:\\w.bin' }, /folder of the model/],
    [{ location: 'file:///w.bin' }, /folder of the model/],
    [{ location: './' }, /the relative path of a file/],
    [{ location: 'a/.' }, /the relative path of a file/],
    [{ offset: '0' }, /folder of the model/],
  ])('refuses %j', (entries, message) => {
    const tensor = external(entries);
    expect(() => readTensor(tensor, files)).toThrow(InvalidModelError);
    expect(() => readTensor(tensor, files)).toThrow(message);
  });
});
