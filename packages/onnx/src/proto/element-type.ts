/** TensorProto.DataType numbers: those a Tensor can hold, and the names of those we refuse. */
import type { TensorType } from '../tensor.ts';

const TYPES: Readonly<Record<number, TensorType>> = {
  1: 'float32',
  2: 'uint8',
  3: 'int8',
  4: 'uint16',
  5: 'int16',
  6: 'int32',
  7: 'int64',
  8: 'string',
  9: 'bool',
  10: 'float16',
  11: 'float64',
  12: 'uint32',
  13: 'uint64',
};

const REFUSED: Readonly<Record<number, string>> = {
  0: 'undefined',
  14: 'complex64',
  15: 'complex128',
  16: 'bfloat16',
  17: 'float8e4m3fn',
  18: 'float8e4m3fnuz',
  19: 'float8e5m2',
  20: 'float8e5m2fnuz',
  21: 'uint4',
  22: 'int4',
  23: 'float4e2m1',
  24: 'float8e8m0',
  25: 'uint2',
  26: 'int2',
};

/** The type of a number, or undefined when a Tensor cannot hold it. */
export function elementType(dataType: number): TensorType | undefined {
  return TYPES[dataType];
}

/** The number of a type in a TensorProto. */
export function dataTypeOf(type: TensorType): number {
  return Number(Object.entries(TYPES).find(([, name]) => name === type)?.[0]);
}

/** ONNX's name of a number, for messages. */
export function dataTypeName(dataType: number): string {
  return TYPES[dataType] ?? REFUSED[dataType] ?? `element type ${dataType}`;
}
