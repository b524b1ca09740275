/** The table of fields against the messages that protobufjs generated from ONNX's own description. */
import { readdirSync, readFileSync } from 'node:fs';
import { InvalidModelError } from '@onegpu/core';
import fc from 'fast-check';
import onnxProto from 'onnx-proto';
import { describe, expect, it } from 'vitest';
import { decodeMessage } from './decode-message.ts';
import { type Encodable, encodeMessage } from './encode-message.ts';
import type { FileMessages, ModelProto } from './messages.ts';
import { type FieldRule, type MessageName, WIRE_SCHEMA } from './wire-schema.ts';

type Plain = Record<string, unknown>;

const GRAPHS = new URL('../../../../test-models/graphs/', import.meta.url);
const graphs = readdirSync(GRAPHS).map(
  (name) => [name, Uint8Array.from(readFileSync(new URL(name, GRAPHS)))] as const,
);

/** Fields that onnx-proto, which stems from ONNX 1.10.2, does not have. */
const UNKNOWN = [
  'NodeProto.overload',
  'FunctionProto.overload',
  'FunctionProto.attributeProto',
  'FunctionProto.valueInfo',
  'FunctionProto.sinceVersion',
  'FunctionProto.status',
];

/** A decoded message of either decoder as plain data, 64-bit integers as bigint. */
function plain(message: object, name: MessageName): Plain {
  const fields = message as Plain;
  const result: Plain = {};
  for (const rule of WIRE_SCHEMA[name].values()) {
    if (rule.type === 'opaque' || UNKNOWN.includes(`${name}.${rule.name}`)) continue;
    const value = fields[rule.name];
    if (rule.oneof !== undefined) result[rule.oneof] = fields[rule.oneof];
    if (rule.repeated) {
      result[rule.name] = ((value ?? []) as unknown[]).map((entry) => plainValue(rule, entry));
    } else result[rule.name] = plainValue(rule, value);
  }
  return result;
}

function plainValue({ type }: FieldRule, value: unknown): unknown {
  if (type in WIRE_SCHEMA) return value ? plain(value, type as MessageName) : null;
  if (type === 'bytes') return Array.from(value as Uint8Array);
  return type === 'int64' || type === 'uint64' ? BigInt(String(value ?? 0)) : value;
}

/** A message with all its fields, subgraphs a few levels deep. */
function filled(name: MessageName, levels: number): Plain {
  const result: Plain = {};
  for (const rule of WIRE_SCHEMA[name].values()) {
    const nested = rule.type in WIRE_SCHEMA;
    if (rule.type === 'opaque' || UNKNOWN.includes(`${name}.${rule.name}`) || (nested && levels === 0))
      continue;
    const value = nested
      ? filled(rule.type as MessageName, levels - 1)
      : SCALARS[rule.type as keyof typeof SCALARS];
    result[rule.name] = rule.repeated ? [value, value] : value;
  }
  return result;
}

const SCALARS = {
  int32: -7,
  int64: -(2 ** 40) - 1,
  uint64: 2 ** 41 + 3,
  float: 1.25,
  double: -0.1,
  string: 'naïve \uFEFF 𝛼',
  bytes: Uint8Array.of(0, 255, 7),
};

function byProtobufjs(bytes: Uint8Array): Plain {
  return plain(onnxProto.onnx.ModelProto.decode(bytes), 'ModelProto');
}

describe('decodeMessage', () => {
  const model = filled('ModelProto', 5);
  const bytes = Uint8Array.from(onnxProto.onnx.ModelProto.encode(model).finish());

  it('reads every field as protobufjs does', () => {
    expect(plain(decodeMessage(bytes, 'ModelProto'), 'ModelProto')).toEqual(byProtobufjs(bytes));
  });

  it('reads an empty message as protobufjs does', () => {
    const nothing = new Uint8Array();
    expect(plain(decodeMessage(nothing, 'TensorProto'), 'TensorProto')).toEqual(
      plain(onnxProto.onnx.TensorProto.decode(nothing), 'TensorProto'),
    );
  });

  it.each(graphs)('reads %s as protobufjs does', (_, graph) => {
    expect(plain(decodeMessage(graph, 'ModelProto'), 'ModelProto')).toEqual(byProtobufjs(graph));
  });

  it('keeps apart names that are no UTF-8', () => {
    const names = [0xe4, 0xfc].map(
      (byte) => decodeMessage(Uint8Array.of(0x42, 2, byte, 0x61), 'TensorProto').name,
    );
    expect(names).toEqual(['äa', 'üa']);
  });

  it('keeps which of several fields came last where one may be there', () => {
    const given = [Uint8Array.of(8, 3, 18, 1, 78), Uint8Array.of(18, 1, 78, 8, 3), new Uint8Array()];
    const values = given.map((fields) => {
      const bytes = [10, 18, 10, 18, 90, 58].reduce(delimited, fields);
      return decodeMessage(bytes, 'ModelProto').graph?.input[0]?.type?.tensorType?.shape?.dim[0]?.value;
    });
    expect(values).toEqual(['dimParam', 'dimValue', undefined]);
  });

  it('gives fields that the bytes hold as the message’s own', () => {
    const tensor = decodeMessage(Uint8Array.of(16, 0), 'TensorProto');
    expect(Object.keys(tensor)).toEqual(['dataType']);
    expect(() => (tensor.dims as bigint[]).push(1n)).toThrow(TypeError);
  });
});

describe('encodeMessage', () => {
  it('writes the bytes that protobufjs writes', () => {
    const model = filled('ModelProto', 5);
    const expected = Uint8Array.from(onnxProto.onnx.ModelProto.encode(model).finish());
    expect(encodeMessage(model as Encodable<ModelProto>, 'ModelProto')).toEqual(expected);
  });

  it('writes what is read back, also what protobufjs does not know', () => {
    const attribute = { name: 'axis', type: 2, i: -(2n ** 63n) };
    const body = {
      name: 'F',
      overload: 'second',
      attributeProto: [attribute],
      input: [],
      docString: undefined,
    };
    const bytes = encodeMessage({ irVersion: 10n, functions: [body] }, 'ModelProto');
    expect(decodeMessage(bytes, 'ModelProto').functions[0]).toMatchObject({
      overload: 'second',
      attributeProto: [attribute],
    });
  });
});

describe('damaged bytes', () => {
  it.each(graphs)('%s, cut: a typed error, or all that lies before the cut', (_, graph) => {
    fc.assert(
      fc.property(fc.nat(graph.length - 1), (length) => {
        const bytes = graph.slice(0, length);
        const model = decodedOrRefused(bytes);
        if (model !== undefined) expect(plain(model, 'ModelProto')).toEqual(byProtobufjs(bytes));
      }),
      { seed: 11, numRuns: 30 },
    );
  });

  it.each(graphs)('%s, changed: a typed error, or what protobufjs reads', (_, graph) => {
    const change = fc.record({
      at: fc.nat(graph.length - 1),
      by: fc.uint8Array({ minLength: 1, maxLength: 4 }),
    });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
        const bytes = graph.slice();
        for (const { at, by } of changes) bytes.set(by.subarray(0, bytes.length - at), at);
        const model = decodedOrRefused(bytes);
        const expected = model && readOrNothing(bytes);
        if (expected !== undefined)
          expect(textless(plain(model as ModelProto, 'ModelProto'))).toEqual(textless(expected));
      }),
      { seed: 12, numRuns: 30 },
    );
  });

  it('of any kind: a typed error or a message', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(...FILES), (bytes, name) => {
        decodedOrRefused(bytes, name);
      }),
      { seed: 13, numRuns: 3000 },
    );
  });
});

const FILES: readonly (keyof FileMessages)[] = ['ModelProto', 'TensorProto'];

/** Undefined where the bytes are refused; every other error is thrown on. */
function decodedOrRefused(bytes: Uint8Array, name: keyof FileMessages = 'ModelProto'): object | undefined {
  try {
    return decodeMessage(bytes, name);
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidModelError);
    return undefined;
  }
}

/** protobufjs also looks into fields that are opaque to us, and may find nothing there. */
function readOrNothing(bytes: Uint8Array): Plain | undefined {
  try {
    return byProtobufjs(bytes);
  } catch {
    return undefined;
  }
}

/** Bytes that are no UTF-8 are read differently: protobufjs drops some of them. */
function textless(value: unknown): unknown {
  const replace = (_: string, entry: unknown): unknown => {
    if (typeof entry === 'string') return '';
    return typeof entry === 'bigint' ? `${entry}n` : entry;
  };
  return JSON.parse(JSON.stringify(value, replace));
}

function delimited(bytes: Uint8Array, tag: number): Uint8Array {
  return Uint8Array.of(tag, bytes.length, ...bytes);
}
