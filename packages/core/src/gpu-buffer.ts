/** A typed range of a GPU buffer: what operands, inputs and outputs are made of. */
import { elementBytes, type GpuElementType } from './dtype.ts';

export interface GpuBuffer<T extends GpuElementType = GpuElementType> {
  readonly buffer: GPUBuffer;
  readonly type: T;
  /** Start in bytes; a multiple of the device's `minStorageBufferOffsetAlignment` where it is to be bound. */
  readonly byteOffset: number;
  /** Number of elements. */
  readonly length: number;
}

/** Bytes a range covers, rounded up to the multiple of 4 that bindings and copies need. */
export function rangeBytes(range: GpuBuffer): number {
  return alignUp(range.length * elementBytes(range.type), 4);
}

/** The next multiple of `alignment`. */
export function alignUp(value: number, alignment: number): number {
  return Math.ceil(value / alignment) * alignment;
}

/**
 * Writes a range of any number of bytes: WebGPU writes whole words, so up to three bytes behind the data are zeroed,
 * and takes no views over shared memory, which are copied.
 */
export function writeBytes(
  queue: GPUQueue,
  { buffer, byteOffset }: Pick<GpuBuffer, 'buffer' | 'byteOffset'>,
  data: ArrayBufferView,
): void {
  if (data.byteLength === 0) return;
  const shared = typeof SharedArrayBuffer !== 'undefined' && data.buffer instanceof SharedArrayBuffer;
  if (!shared && data.byteLength % 4 === 0) {
    queue.writeBuffer(buffer, byteOffset, data as BufferSource);
    return;
  }
  const words = new Uint8Array(alignUp(data.byteLength, 4));
  words.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  queue.writeBuffer(buffer, byteOffset, words);
}
