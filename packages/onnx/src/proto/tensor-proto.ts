/**
 * TensorProto to Tensor. The bytes lie in `raw_data` (little-endian), in one of the typed lists, or in a file beside
 * the model; raw bytes become a view of the model's bytes where their alignment allows it, a copy elsewhere.
 */
import { InvalidModelError } from '@onegpu/core';
import { ARRAY_CLASSES, elementCount, Tensor, type TensorData, type TensorType } from '../tensor.ts';
import { dataTypeName, elementType } from './element-type.ts';
import { type ExternalFiles, externalBytes, isExternal } from './external-data.ts';
import type { TensorProto } from './messages.ts';

type NumericType = Exclude<TensorType, 'string'>;
type NumericData = Exclude<TensorData, string[]>;
type ListField = 'floatData' | 'int32Data' | 'stringData' | 'int64Data' | 'doubleData' | 'uint64Data';

const LIST_FIELDS: readonly ListField[] = [
  'floatData',
  'int32Data',
  'stringData',
  'int64Data',
  'doubleData',
  'uint64Data',
];

/** The typed list that holds each type when there is no raw data. */
const LIST_OF_TYPE: Readonly<Record<TensorType, ListField>> = {
  float32: 'floatData',
  float64: 'doubleData',
  float16: 'int32Data',
  int8: 'int32Data',
  uint8: 'int32Data',
  int16: 'int32Data',
  uint16: 'int32Data',
  int32: 'int32Data',
  bool: 'int32Data',
  uint32: 'uint64Data',
  uint64: 'uint64Data',
  int64: 'int64Data',
  string: 'stringData',
};

/** Why a tensor of this proto cannot be held; undefined when it can. */
export function refuseTensor(proto: TensorProto): string | undefined {
  if (elementType(proto.dataType) === undefined) {
    return `element type ${dataTypeName(proto.dataType)} is not supported`;
  }
  if (proto.segment !== undefined && proto.segment !== null)
    return 'tensors stored in segments are not supported';
  return undefined;
}

/**
 * Reads a tensor that `refuseTensor` lets pass.
 * @throws InvalidModelError when its data are fewer or more than dims say, twice there, or not to be found.
 */
export function readTensor(proto: TensorProto, files?: ExternalFiles): Tensor {
  const type = elementType(proto.dataType);
  if (type === undefined) throw invalid(proto, 'data_type', dataTypeName(proto.dataType), 'a supported type');
  const dims = readDims(proto);
  const count = elementCount(dims);
  checkStorage(proto);
  if (type === 'string') return new Tensor(type, readStrings(proto, count), dims);
  const width = ARRAY_CLASSES[type].BYTES_PER_ELEMENT;
  if (isExternal(proto)) {
    return new Tensor(type, toArray(type, externalBytes(proto, count * width, files), count), dims);
  }
  const list = proto[LIST_OF_TYPE[type]];
  if (list.length > 0) {
    if (list.length !== count)
      throw invalid(proto, LIST_OF_TYPE[type], `${list.length}`, `${count} elements`);
    return new Tensor(type, fromList(type, list as readonly number[] | readonly bigint[]), dims);
  }
  if (proto.rawData.byteLength !== count * width) {
    throw invalid(proto, 'raw_data', `${proto.rawData.byteLength} bytes`, `${count * width} bytes`);
  }
  return new Tensor(type, toArray(type, proto.rawData, count), dims);
}

/** @throws InvalidModelError for negative extents and for more elements than can be counted. */
export function readDims(proto: TensorProto): readonly number[] {
  const dims = proto.dims.map(Number);
  const valid = dims.every((extent) => Number.isSafeInteger(extent) && extent >= 0);
  if (valid && Number.isSafeInteger(elementCount(dims))) return dims;
  throw invalid(proto, 'dims', `[${proto.dims.join(', ')}]`, 'non-negative extents');
}

/** At most one of raw data and the lists may be there, and the list must be the type's own. */
function checkStorage(proto: TensorProto): void {
  const type = elementType(proto.dataType);
  const used: string[] = LIST_FIELDS.filter((field) => proto[field].length > 0);
  if (proto.rawData.byteLength > 0) used.push('rawData');
  if (isExternal(proto) && used.length > 0)
    throw invalid(proto, used.join(', '), 'data', 'external data only');
  if (used.length > 1) throw invalid(proto, 'data', used.join(' and '), 'one of them');
  const own = type === undefined ? 'rawData' : LIST_OF_TYPE[type];
  const [field] = used;
  if (field !== undefined && field !== 'rawData' && field !== own) {
    throw invalid(proto, field, `data of ${dataTypeName(proto.dataType)}`, `${own} or rawData`);
  }
}

function readStrings(proto: TensorProto, count: number): string[] {
  if (isExternal(proto) || proto.stringData.length !== count) {
    throw invalid(proto, 'string_data', `${proto.stringData.length}`, `${count} strings`);
  }
  const decoder = new TextDecoder();
  return proto.stringData.map((bytes) => decoder.decode(bytes));
}

function fromList(type: NumericType, list: readonly number[] | readonly bigint[]): NumericData {
  if (type === 'int64') return BigInt64Array.from(list as readonly bigint[]);
  if (type === 'uint64') return BigUint64Array.from(list as readonly bigint[]);
  if (type === 'bool') return Uint8Array.from(list as readonly number[], (value) => (value === 0 ? 0 : 1));
  const arrayClass = ARRAY_CLASSES[type] as { from(list: Iterable<number>): NumericData };
  return arrayClass.from(type === 'uint32' ? list.map(Number) : (list as readonly number[]));
}

function toArray(type: NumericType, bytes: Uint8Array, count: number): NumericData {
  const arrayClass = ARRAY_CLASSES[type];
  const aligned = bytes.byteOffset % arrayClass.BYTES_PER_ELEMENT === 0;
  const source = aligned ? bytes : bytes.slice();
  const array = new arrayClass(source.buffer as ArrayBuffer, source.byteOffset, count);
  if (type !== 'bool') return array;
  return (array as Uint8Array).some((value) => value > 1)
    ? (array as Uint8Array).map((value) => (value === 0 ? 0 : 1))
    : array;
}

function invalid(proto: TensorProto, field: string, got: string, expected: string): InvalidModelError {
  return new InvalidModelError('the tensor is not valid', {
    subject: `tensor "${proto.name}"`,
    field,
    got,
    expected,
  });
}
