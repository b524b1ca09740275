/**
 * Weights of a decoded model moved to the alignment of their elements, inside the bytes that were read, so that
 * typed arrays can view them. A protobuf file puts raw data at any byte; a copy of each tensor would touch as much
 * fresh memory as the file has bytes, which costs more than reading it.
 *
 * Raw data move down by less than an element, over the tag and the length of their own field, which nobody reads
 * again. https://protobuf.dev/programming-guides/encoding/#length-types
 */
import { ARRAY_CLASSES } from '../tensor.ts';
import { elementType } from './element-type.ts';
import type { TensorProto } from './messages.ts';

/** Bytes of a field's tag and length, when the data are longer than 127 bytes; at least that many. */
const HEADER_BYTES = 3;
const LONG_DATA = 128;

/** Overwrites the memory that the tensors are views of: only for bytes that nobody else holds. */
export function alignRawData(tensors: Iterable<TensorProto>): void {
  for (const tensor of tensors) {
    const type = elementType(tensor.dataType);
    if (type === undefined || type === 'string') continue;
    const { buffer, byteOffset, byteLength } = tensor.rawData;
    const shift = byteOffset % ARRAY_CLASSES[type].BYTES_PER_ELEMENT;
    if (shift === 0 || shift > HEADER_BYTES || byteLength < LONG_DATA) continue;
    const begin = byteOffset - shift;
    new Uint8Array(buffer).copyWithin(begin, byteOffset, byteOffset + byteLength);
    (tensor as { rawData: Uint8Array }).rawData = new Uint8Array(buffer, begin, byteLength);
  }
}
