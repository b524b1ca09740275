/**
 * The fields of ONNX's messages up to IR version 13: number on the wire, name, type, whether there are several. What a
 * file says beyond this table is refused. https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
 */

export type ScalarType = 'int32' | 'int64' | 'uint64' | 'float' | 'double' | 'string' | 'bytes';

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

/** `opaque`: says nothing about the result, or is refused where it is used; kept as bytes, not looked into. */
export type FieldType = ScalarType | 'opaque' | MessageName;

export interface FieldRule {
  /** As protobufjs spells it. */
  readonly name: string;
  readonly type: FieldType;
  readonly repeated: boolean;
  /** The field that says which of several is there. */
  readonly oneof: string | undefined;
  /** 0: varint, 1: eight bytes, 2: bytes behind their length, 5: four bytes. */
  readonly wireType: number;
}

type Row = readonly [name: string, type: FieldType | `${FieldType}*`, oneof?: string];

const WIRE_TYPES: Readonly<Partial<Record<FieldType, number>>> = {
  int32: 0,
  int64: 0,
  uint64: 0,
  double: 1,
  float: 5,
};

function message(rows: Readonly<Record<number, Row>>): ReadonlyMap<number, FieldRule> {
  return new Map(Object.entries(rows).map(([number, row]) => [Number(number), fieldRule(row)]));
}

function fieldRule([name, text, oneof]: Row): FieldRule {
  const type = text.replace('*', '') as FieldType;
  return { name, type, repeated: text.endsWith('*'), oneof, wireType: WIRE_TYPES[type] ?? 2 };
}

export const WIRE_SCHEMA: Readonly<Record<MessageName, ReadonlyMap<number, FieldRule>>> = {
  ModelProto: message({
    1: ['irVersion', 'int64'],
    2: ['producerName', 'string'],
    3: ['producerVersion', 'string'],
    4: ['domain', 'string'],
    5: ['modelVersion', 'int64'],
    6: ['docString', 'string'],
    7: ['graph', 'GraphProto'],
    8: ['opsetImport', 'OperatorSetIdProto*'],
    14: ['metadataProps', 'opaque'],
    20: ['trainingInfo', 'opaque'],
    25: ['functions', 'FunctionProto*'],
    26: ['configuration', 'opaque'],
  }),
  OperatorSetIdProto: message({ 1: ['domain', 'string'], 2: ['version', 'int64'] }),
  GraphProto: message({
    1: ['node', 'NodeProto*'],
    2: ['name', 'string'],
    5: ['initializer', 'TensorProto*'],
    10: ['docString', 'string'],
    11: ['input', 'ValueInfoProto*'],
    12: ['output', 'ValueInfoProto*'],
    13: ['valueInfo', 'ValueInfoProto*'],
    14: ['quantizationAnnotation', 'opaque'],
    15: ['sparseInitializer', 'SparseTensorProto*'],
    16: ['metadataProps', 'opaque'],
  }),
  NodeProto: message({
    1: ['input', 'string*'],
    2: ['output', 'string*'],
    3: ['name', 'string'],
    4: ['opType', 'string'],
    5: ['attribute', 'AttributeProto*'],
    6: ['docString', 'string'],
    7: ['domain', 'string'],
    8: ['overload', 'string'],
    9: ['metadataProps', 'opaque'],
    10: ['deviceConfigurations', 'opaque'],
  }),
  FunctionProto: message({
    1: ['name', 'string'],
    // ONNX 1.10 alone had since_version and status here.
    2: ['sinceVersion', 'int64'],
    3: ['status', 'int32'],
    4: ['input', 'string*'],
    5: ['output', 'string*'],
    6: ['attribute', 'string*'],
    7: ['node', 'NodeProto*'],
    8: ['docString', 'string'],
    9: ['opsetImport', 'OperatorSetIdProto*'],
    10: ['domain', 'string'],
    11: ['attributeProto', 'AttributeProto*'],
    12: ['valueInfo', 'ValueInfoProto*'],
    13: ['overload', 'string'],
    14: ['metadataProps', 'opaque'],
  }),
  AttributeProto: message({
    1: ['name', 'string'],
    2: ['f', 'float'],
    3: ['i', 'int64'],
    4: ['s', 'bytes'],
    5: ['t', 'TensorProto'],
    6: ['g', 'GraphProto'],
    7: ['floats', 'float*'],
    8: ['ints', 'int64*'],
    9: ['strings', 'bytes*'],
    10: ['tensors', 'TensorProto*'],
    11: ['graphs', 'GraphProto*'],
    13: ['docString', 'string'],
    14: ['tp', 'TypeProto'],
    15: ['typeProtos', 'TypeProto*'],
    20: ['type', 'int32'],
    21: ['refAttrName', 'string'],
    22: ['sparseTensor', 'SparseTensorProto'],
    23: ['sparseTensors', 'SparseTensorProto*'],
  }),
  TensorProto: message({
    1: ['dims', 'int64*'],
    2: ['dataType', 'int32'],
    3: ['segment', 'opaque'],
    4: ['floatData', 'float*'],
    5: ['int32Data', 'int32*'],
    6: ['stringData', 'bytes*'],
    7: ['int64Data', 'int64*'],
    8: ['name', 'string'],
    9: ['rawData', 'bytes'],
    10: ['doubleData', 'double*'],
    11: ['uint64Data', 'uint64*'],
    12: ['docString', 'string'],
    13: ['externalData', 'StringStringEntryProto*'],
    14: ['dataLocation', 'int32'],
    16: ['metadataProps', 'opaque'],
  }),
  SparseTensorProto: message({
    1: ['values', 'TensorProto'],
    2: ['indices', 'TensorProto'],
    3: ['dims', 'int64*'],
  }),
  ValueInfoProto: message({
    1: ['name', 'string'],
    2: ['type', 'TypeProto'],
    3: ['docString', 'string'],
    4: ['metadataProps', 'opaque'],
  }),
  TypeProto: message({
    1: ['tensorType', 'TypeProto.Tensor'],
    4: ['sequenceType', 'opaque'],
    5: ['mapType', 'opaque'],
    6: ['denotation', 'string'],
    7: ['opaqueType', 'opaque'],
    8: ['sparseTensorType', 'opaque'],
    9: ['optionalType', 'opaque'],
  }),
  'TypeProto.Tensor': message({ 1: ['elemType', 'int32'], 2: ['shape', 'TensorShapeProto'] }),
  TensorShapeProto: message({ 1: ['dim', 'Dimension*'] }),
  Dimension: message({
    1: ['dimValue', 'int64', 'value'],
    2: ['dimParam', 'string', 'value'],
    3: ['denotation', 'string'],
  }),
  StringStringEntryProto: message({ 1: ['key', 'string'], 2: ['value', 'string'] }),
};
