/**
 * Field numbers of ONNX's messages up to IR version 13, as protobuf writes them on the wire. The generated decoder
 * stems from ONNX 1.10 and drops what it does not know in silence; this table is what a file is checked against
 * before it is decoded. https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
 */

export type ScalarKind = 'varint' | 'fixed32' | 'fixed64' | 'bytes';

export type MessageName =
  | 'ModelProto'
  | 'OperatorSetIdProto'
  | 'GraphProto'
  | 'NodeProto'
  | 'FunctionProto'
  | 'AttributeProto'
  | 'TensorProto'
  | 'SparseTensorProto'
  | 'ValueInfoProto'
  | 'TypeProto'
  | 'TypeProto.Tensor'
  | 'TensorShapeProto'
  | 'Dimension'
  | 'StringStringEntryProto';

export type FieldKind =
  | ScalarKind
  /** Repeated scalars, packed or not. */
  | 'varints'
  | 'fixed32s'
  | 'fixed64s'
  /** Length-delimited, says nothing about the result, or is refused where it is used; not looked into. */
  | 'opaque'
  | MessageName
  | `${MessageName}*`;

export interface FieldRule {
  /** Name as protobufjs spells it. */
  readonly name: string;
  readonly kind: FieldKind;
  /** Newer than the generated decoder: put onto the decoded message by `decodeModel`. */
  readonly newer: boolean;
}

type Row = readonly [name: string, kind: FieldKind, newer?: 'newer'];

function message(rows: Readonly<Record<number, Row>>): ReadonlyMap<number, FieldRule> {
  return new Map(
    Object.entries(rows).map(([number, [name, kind, newer]]) => [
      Number(number),
      { name, kind, newer: newer === 'newer' },
    ]),
  );
}

export const WIRE_SCHEMA: Readonly<Record<MessageName, ReadonlyMap<number, FieldRule>>> = {
  ModelProto: message({
    1: ['irVersion', 'varint'],
    2: ['producerName', 'bytes'],
    3: ['producerVersion', 'bytes'],
    4: ['domain', 'bytes'],
    5: ['modelVersion', 'varint'],
    6: ['docString', 'bytes'],
    7: ['graph', 'GraphProto'],
    8: ['opsetImport', 'OperatorSetIdProto*'],
    14: ['metadataProps', 'opaque'],
    20: ['trainingInfo', 'opaque'],
    25: ['functions', 'FunctionProto*'],
    26: ['configuration', 'opaque'],
  }),
  OperatorSetIdProto: message({ 1: ['domain', 'bytes'], 2: ['version', 'varint'] }),
  GraphProto: message({
    1: ['node', 'NodeProto*'],
    2: ['name', 'bytes'],
    5: ['initializer', 'TensorProto*'],
    10: ['docString', 'bytes'],
    11: ['input', 'ValueInfoProto*'],
    12: ['output', 'ValueInfoProto*'],
    13: ['valueInfo', 'ValueInfoProto*'],
    14: ['quantizationAnnotation', 'opaque'],
    15: ['sparseInitializer', 'SparseTensorProto*'],
    16: ['metadataProps', 'opaque'],
  }),
  NodeProto: message({
    1: ['input', 'bytes'],
    2: ['output', 'bytes'],
    3: ['name', 'bytes'],
    4: ['opType', 'bytes'],
    5: ['attribute', 'AttributeProto*'],
    6: ['docString', 'bytes'],
    7: ['domain', 'bytes'],
    8: ['overload', 'bytes', 'newer'],
    9: ['metadataProps', 'opaque'],
    10: ['deviceConfigurations', 'opaque'],
  }),
  FunctionProto: message({
    1: ['name', 'bytes'],
    // ONNX 1.10 alone had since_version and status here.
    2: ['sinceVersion', 'varint'],
    3: ['status', 'varint'],
    4: ['input', 'bytes'],
    5: ['output', 'bytes'],
    6: ['attribute', 'bytes'],
    7: ['node', 'NodeProto*'],
    8: ['docString', 'bytes'],
    9: ['opsetImport', 'OperatorSetIdProto*'],
    10: ['domain', 'bytes'],
    11: ['attributeProto', 'AttributeProto*', 'newer'],
    12: ['valueInfo', 'ValueInfoProto*'],
    13: ['overload', 'bytes', 'newer'],
    14: ['metadataProps', 'opaque'],
  }),
  AttributeProto: message({
    1: ['name', 'bytes'],
    2: ['f', 'fixed32'],
    3: ['i', 'varint'],
    4: ['s', 'bytes'],
    5: ['t', 'TensorProto'],
    6: ['g', 'GraphProto'],
    7: ['floats', 'fixed32s'],
    8: ['ints', 'varints'],
    9: ['strings', 'bytes'],
    10: ['tensors', 'TensorProto*'],
    11: ['graphs', 'GraphProto*'],
    13: ['docString', 'bytes'],
    14: ['tp', 'TypeProto'],
    15: ['typeProtos', 'TypeProto*'],
    20: ['type', 'varint'],
    21: ['refAttrName', 'bytes'],
    22: ['sparseTensor', 'SparseTensorProto'],
    23: ['sparseTensors', 'SparseTensorProto*'],
  }),
  TensorProto: message({
    1: ['dims', 'varints'],
    2: ['dataType', 'varint'],
    3: ['segment', 'opaque'],
    4: ['floatData', 'fixed32s'],
    5: ['int32Data', 'varints'],
    6: ['stringData', 'bytes'],
    7: ['int64Data', 'varints'],
    8: ['name', 'bytes'],
    9: ['rawData', 'bytes'],
    10: ['doubleData', 'fixed64s'],
    11: ['uint64Data', 'varints'],
    12: ['docString', 'bytes'],
    13: ['externalData', 'StringStringEntryProto*'],
    14: ['dataLocation', 'varint'],
    16: ['metadataProps', 'opaque'],
  }),
  SparseTensorProto: message({
    1: ['values', 'TensorProto'],
    2: ['indices', 'TensorProto'],
    3: ['dims', 'varints'],
  }),
  ValueInfoProto: message({
    1: ['name', 'bytes'],
    2: ['type', 'TypeProto'],
    3: ['docString', 'bytes'],
    4: ['metadataProps', 'opaque'],
  }),
  TypeProto: message({
    1: ['tensorType', 'TypeProto.Tensor'],
    4: ['sequenceType', 'opaque'],
    5: ['mapType', 'opaque'],
    6: ['denotation', 'bytes'],
    7: ['opaqueType', 'opaque'],
    8: ['sparseTensorType', 'opaque'],
    9: ['optionalType', 'opaque'],
  }),
  'TypeProto.Tensor': message({ 1: ['elemType', 'varint'], 2: ['shape', 'TensorShapeProto'] }),
  TensorShapeProto: message({ 1: ['dim', 'Dimension*'] }),
  Dimension: message({ 1: ['dimValue', 'varint'], 2: ['dimParam', 'bytes'], 3: ['denotation', 'bytes'] }),
  StringStringEntryProto: message({ 1: ['key', 'bytes'], 2: ['value', 'bytes'] }),
};
