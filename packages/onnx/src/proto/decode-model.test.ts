import { InvalidModelError } from '@onegpu/core';
import { describe, expect, it } from 'vitest';
import { buildModel, encodeModel, modelProto } from '../../test/model-builder.ts';
import { Tensor } from '../tensor.ts';
import { decodeModel } from './decode-model.ts';
import { WireWriter } from './wire-writer.ts';

const RELU = {
  inputs: { x: { dims: [1, 3, 5, 7] } },
  outputs: ['y'],
  nodes: [{ op: 'Relu', inputs: ['x'], outputs: ['y'] }],
};

/** A model of one message per level: `fields` wrap each other from the outside in. */
function wrap(bytes: Uint8Array, fields: readonly number[]): Uint8Array {
  return fields.reduceRight((inner, field) => {
    const writer = new WireWriter();
    writer.varint(8 * field + 2);
    writer.varint(inner.length);
    writer.bytes(inner);
    return writer.finish();
  }, bytes);
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function varintField(field: number, value: number): Uint8Array {
  const writer = new WireWriter();
  writer.varint(8 * field);
  writer.varint(value);
  return writer.finish();
}

describe('decodeModel', () => {
  it('reads a model', () => {
    const model = decodeModel(buildModel(RELU));
    expect(model.graph?.node.map((node) => node.opType)).toEqual(['Relu']);
    expect(model.irVersion).toBe(8n);
  });

  it('keeps 64-bit integers exact', () => {
    const largest = 2n ** 63n - 1n;
    const bytes = buildModel({
      nodes: [{ op: 'Slice', attributes: { ends: [largest, -1n], starts: [0n], one: -(2n ** 63n) } }],
    });
    const [ends, starts, one] = decodeModel(bytes).graph?.node[0]?.attribute ?? [];
    expect(ends?.ints).toEqual([largest, -1n]);
    expect(starts?.ints).toEqual([0n]);
    expect(one?.i).toBe(-(2n ** 63n));
  });

  it('leaves weights in the bytes they came in', () => {
    const bytes = buildModel({ initializers: { w: new Tensor('uint8', [1, 2, 3]) } });
    expect(decodeModel(bytes).graph?.initializer[0]?.rawData.buffer).toBe(bytes.buffer);
  });

  it('reads a model from the middle of a larger buffer', () => {
    const bytes = buildModel(RELU);
    const padded = new Uint8Array(bytes.length + 7);
    padded.set(bytes, 3);
    expect(decodeModel(padded.subarray(3, 3 + bytes.length)).graph?.node).toHaveLength(1);
  });

  it('reads fields newer than what the test writes models with', () => {
    const overload = wrap(new TextEncoder().encode('second'), [8]);
    const node = join(wrap(new TextEncoder().encode('Thing'), [4]), overload);
    const attribute = join(
      wrap(new TextEncoder().encode('axis'), [1]),
      varintField(3, 5),
      varintField(20, 2),
    );
    const body = join(wrap(new TextEncoder().encode('Thing'), [1]), wrap(attribute, [11]), wrap(node, [7]));
    const model = decodeModel(join(buildModel({}), wrap(body, [25])));
    expect(model.functions[0]?.node[0]?.overload).toBe('second');
    expect(model.functions[0]?.attributeProto?.[0]).toMatchObject({ name: 'axis', i: 5n });
  });

  it('passes over metadata', () => {
    const metadata = wrap(new Uint8Array([1, 2, 3]), [9]);
    const graph = wrap(join(wrap(new TextEncoder().encode('Relu'), [4]), metadata), [7, 1]);
    expect(decodeModel(join(varintField(1, 10), graph)).graph?.node[0]?.opType).toBe('Relu');
  });
});

describe('decodeModel refuses', () => {
  const refusals: readonly (readonly [string, () => Uint8Array, RegExp])[] = [
    ['an empty file', () => new Uint8Array(), /empty/],
    ['an HTML page', () => new TextEncoder().encode('\n<!DOCTYPE html><html>'), /HTML.*address/],
    [
      'a Git LFS pointer',
      () => new TextEncoder().encode('version https://git-lfs.github.com/spec/v1\noid sha256:0\n'),
      /Git LFS pointer.*git lfs pull/,
    ],
    ['a ZIP archive', () => new TextEncoder().encode('PK\u0003\u0004abc'), /ZIP archive/],
    ['a gzip file', () => new Uint8Array([0x1f, 0x8b, 8, 0, 0]), /gzip/],
    ['JSON', () => new TextEncoder().encode('{"graph": {}}'), /JSON/],
    ['text', () => new TextEncoder().encode('just a few words'), /model/],
    ['zeros', () => new Uint8Array(100), /not an ONNX model/],
    ['a model without a version', () => encodeModel({ graph: {} }), /ir_version/],
    ['a model without a graph', () => encodeModel({ irVersion: 8 }), /graph/],
    [
      'an unknown field of a node, naming the node',
      () => wrap(join(wrap(new TextEncoder().encode('Relu'), [4]), varintField(31, 1)), [7, 1]),
      /graph\.node\[0\] \(NodeProto\)\.field 31/,
    ],
    [
      'an unknown field of a tensor',
      () => wrap(varintField(29, 1), [7, 5]),
      /graph\.initializer\[0\].*field 29/,
    ],
    [
      'an unknown field of an attribute',
      () => wrap(varintField(29, 1), [7, 1, 5]),
      /attribute\[0\].*field 29/,
    ],
    ['an unknown field of a function', () => wrap(varintField(29, 1), [25]), /functions\[0\].*field 29/],
    ['a wrong wire type', () => wrap(varintField(4, 1), [7, 1]), /graph\.node\[0\]\.opType.*wire type/],
    ['a second graph', () => join(buildModel(RELU), wrap(new Uint8Array(), [7])), /graph.*twice/],
    ['a varint without an end', () => wrap(Uint8Array.of(...Array(11).fill(255), 1), [7, 5, 7]), /int64Data/],
    ['packed floats cut inside an element', () => wrap(new Uint8Array(6), [7, 5, 4]), /inside an element/],
    ['a field longer than its message', () => wrap(new Uint8Array([0x0a, 50, 1]), [7]), /truncated/],
    [
      'endless nesting',
      () => wrap(new Uint8Array(), [7, ...Array.from({ length: 30 }, () => [1, 5, 6]).flat()]),
      /deep/,
    ],
  ];

  it.each(refusals)('%s', (_, bytes, message) => {
    expect(() => decodeModel(bytes())).toThrow(InvalidModelError);
    expect(() => decodeModel(bytes())).toThrow(message);
  });

  it('a model cut anywhere before its operator sets', () => {
    const proto = modelProto({ ...RELU, initializers: { w: new Tensor('float32', [1, 2, 3, 4]) } });
    const bytes = encodeModel({ ...proto, opsetImport: [] });
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeModel(bytes.subarray(0, length)), `${length} bytes`).toThrow(InvalidModelError);
    }
  });
});
