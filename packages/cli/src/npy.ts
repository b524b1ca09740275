/**
 * NumPy's array files, version 1 to 3: magic, header length, a Python dict literal, data
 * (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html). Little-endian, C order; the element
 * types that tensors have. float16 stays raw bits, as in tensors.
 */
import { InvalidInputError } from '@onegpu/core';
import { allocateData, elementCount, Tensor, type TensorType } from '@onegpu/onnx';

const MAGIC = Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59);
/** The data starts at a multiple of this, so that it can be mapped. */
const ALIGNMENT = 64;

const DESCRIPTIONS: Readonly<Record<Exclude<TensorType, 'string'>, string>> = {
  float16: '<f2',
  float32: '<f4',
  float64: '<f8',
  int8: '|i1',
  uint8: '|u1',
  int16: '<i2',
  uint16: '<u2',
  int32: '<i4',
  uint32: '<u4',
  int64: '<i8',
  uint64: '<u8',
  bool: '|b1',
};

const TYPES = new Map(Object.entries(DESCRIPTIONS).map(([type, text]) => [text, type as TensorType]));

/** The bytes of a `.npy` file (version 1.0). @throws InvalidInputError for a tensor of strings. */
export function writeNpy(tensor: Tensor): Uint8Array {
  if (tensor.type === 'string' || Array.isArray(tensor.data)) {
    throw new InvalidInputError('strings cannot be written as .npy', { subject: 'npy', got: tensor.type });
  }
  const shape = tensor.dims.length === 1 ? `(${tensor.dims[0]},)` : `(${tensor.dims.join(', ')})`;
  const dict = `{'descr': '${DESCRIPTIONS[tensor.type]}', 'fortran_order': False, 'shape': ${shape}, }`;
  const before = MAGIC.length + 4;
  const padding = (ALIGNMENT - ((before + dict.length + 1) % ALIGNMENT)) % ALIGNMENT;
  const header = new TextEncoder().encode(`${dict}${' '.repeat(padding)}\n`);
  const { buffer, byteOffset, byteLength } = tensor.data;
  const file = new Uint8Array(before + header.length + byteLength);
  file.set(MAGIC);
  file.set([1, 0, header.length & 0xff, header.length >> 8], MAGIC.length);
  file.set(header, before);
  file.set(new Uint8Array(buffer, byteOffset, byteLength), before + header.length);
  return file;
}

/** The tensor in the bytes of a `.npy` file. @throws InvalidInputError saying what of the file is wrong. */
export function readNpy(bytes: Uint8Array, subject = 'npy'): Tensor {
  const { text, dataStart } = readHeader(bytes, subject);
  const type = readType(text, subject);
  if (/'fortran_order'\s*:\s*False/.exec(text) === null) {
    throw new InvalidInputError('column-major (Fortran order) arrays are not read', {
      subject,
      field: 'fortran_order',
      remedy: 'Save numpy.ascontiguousarray(array)',
    });
  }
  const dims = readShape(text, subject);
  const data = allocateData(type, elementCount(dims)) as Exclude<Tensor['data'], string[]>;
  const stored = bytes.subarray(dataStart);
  if (stored.length !== data.byteLength) {
    throw new InvalidInputError('the data has the wrong length', {
      subject,
      got: `${stored.length} bytes`,
      expected: `${data.byteLength} for ${type} [${dims.join(', ')}]`,
    });
  }
  new Uint8Array(data.buffer).set(stored);
  return new Tensor(type, data, dims);
}

function readHeader(bytes: Uint8Array, subject: string): { text: string; dataStart: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = bytes[MAGIC.length];
  const wide = version !== 1;
  const textStart = MAGIC.length + (wide ? 6 : 4);
  const isNpy = bytes.length >= textStart && MAGIC.every((value, index) => bytes[index] === value);
  if (!isNpy || version === undefined || version < 1 || version > 3) {
    throw new InvalidInputError('the file is not an .npy file of version 1 to 3', { subject });
  }
  const length = wide ? view.getUint32(MAGIC.length + 2, true) : view.getUint16(MAGIC.length + 2, true);
  const dataStart = textStart + length;
  if (dataStart > bytes.length) throw new InvalidInputError('the file ends inside its header', { subject });
  return { text: new TextDecoder().decode(bytes.subarray(textStart, dataStart)), dataStart };
}

function readType(header: string, subject: string): TensorType {
  const description = /'descr'\s*:\s*'([^']*)'/.exec(header)?.[1] ?? '';
  const type = TYPES.get(description) ?? TYPES.get(description.replace(/^[<=](?=.1$)/, '|'));
  if (type === undefined) {
    throw new InvalidInputError('the element type is not read', {
      subject,
      field: 'descr',
      got: description === '' ? 'no type, or a structured one' : description,
      expected: [...TYPES.keys()].join(' '),
    });
  }
  return type;
}

function readShape(header: string, subject: string): readonly number[] {
  const text = /'shape'\s*:\s*\(([\d,\s]*)\)/.exec(header)?.[1];
  if (text === undefined) throw new InvalidInputError('the header has no shape', { subject, field: 'shape' });
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(Number);
}
