/** AttributeProto to AttributeValue. Kinds that no operator of ours reads become `unsupported`, with the reason. */
import { InvalidModelError } from '@onegpu/core';
import type { AttributeValue } from './graph.ts';
import type { ExternalFiles } from './proto/external-data.ts';
import type { AttributeProto, NodeProto } from './proto/messages.ts';
import { readTensor, refuseTensor } from './proto/tensor-proto.ts';

/** AttributeProto.AttributeType. */
const TYPE = { float: 1, int: 2, string: 3, tensor: 4, floats: 6, ints: 7, strings: 8 } as const;

const UNSUPPORTED_TYPES: Readonly<Record<number, string>> = {
  5: 'a subgraph',
  9: 'a list of tensors',
  10: 'a list of subgraphs',
  11: 'a sparse tensor',
  12: 'a list of sparse tensors',
  13: 'a type',
  14: 'a list of types',
};

/** @throws InvalidModelError for an attribute without a name, there twice, or of a kind that ONNX does not have. */
export function importAttributes(
  node: NodeProto,
  label: string,
  files: ExternalFiles | undefined,
): ReadonlyMap<string, AttributeValue> {
  const attributes = new Map<string, AttributeValue>();
  for (const attribute of node.attribute) {
    if (attribute.name === '' || attributes.has(attribute.name)) {
      const summary = attribute.name === '' ? 'an attribute has no name' : 'an attribute is there twice';
      throw new InvalidModelError(summary, { subject: label, field: attribute.name });
    }
    attributes.set(attribute.name, importAttribute(attribute, label, files));
  }
  return attributes;
}

function importAttribute(
  proto: AttributeProto,
  label: string,
  files: ExternalFiles | undefined,
): AttributeValue {
  if (proto.refAttrName !== '') {
    throw new InvalidModelError('the attribute refers to a function that is not there', {
      subject: label,
      field: proto.name,
      got: `a reference to "${proto.refAttrName}"`,
    });
  }
  const type = proto.type === 0 ? guessType(proto) : proto.type;
  switch (type) {
    case TYPE.float:
      return { kind: 'float', value: proto.f };
    case TYPE.int:
      return { kind: 'int', value: proto.i };
    case TYPE.string:
      return { kind: 'string', value: new TextDecoder().decode(proto.s) };
    case TYPE.floats:
      return { kind: 'floats', value: [...proto.floats] };
    case TYPE.ints:
      return { kind: 'ints', value: [...proto.ints] };
    case TYPE.strings:
      return { kind: 'strings', value: proto.strings.map((bytes) => new TextDecoder().decode(bytes)) };
    case TYPE.tensor:
      return importTensor(proto, label, files);
    default:
      return unsupportedKind(proto, type, label);
  }
}

function importTensor(
  proto: AttributeProto,
  label: string,
  files: ExternalFiles | undefined,
): AttributeValue {
  if (!proto.t) {
    throw new InvalidModelError('a tensor attribute holds no tensor', { subject: label, field: proto.name });
  }
  const reason = refuseTensor(proto.t);
  if (reason !== undefined) return { kind: 'unsupported', value: reason };
  const tensor = proto.t.name === '' ? withName(proto.t, `${label}, attribute ${proto.name}`) : proto.t;
  return { kind: 'tensor', value: readTensor(tensor, files) };
}

function unsupportedKind(proto: AttributeProto, type: number, label: string): AttributeValue {
  const kind = UNSUPPORTED_TYPES[type];
  if (kind !== undefined) return { kind: 'unsupported', value: `${kind} as attribute is not supported` };
  throw new InvalidModelError('the attribute has no known type', {
    subject: label,
    field: proto.name,
    got: `type ${type}`,
  });
}

/** IR version 1 had no type field: the one that is filled counts. */
function guessType(proto: AttributeProto): number {
  if (proto.t) return TYPE.tensor;
  if (proto.floats.length > 0) return TYPE.floats;
  if (proto.ints.length > 0) return TYPE.ints;
  if (proto.strings.length > 0) return TYPE.strings;
  if (Object.hasOwn(proto, 'f')) return TYPE.float;
  if (Object.hasOwn(proto, 'i')) return TYPE.int;
  if (Object.hasOwn(proto, 's')) return TYPE.string;
  return 0;
}

/** The same message under another name; defaults are on the prototype, which a spread would lose. */
function withName<T extends { readonly name: string }>(proto: T, name: string): T {
  return Object.assign(Object.create(proto), { name }) as T;
}
