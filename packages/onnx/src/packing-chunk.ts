/**
 * Memory that constants are packed in before they are uploaded, the same bytes again and again: the pages of fresh
 * memory cost several times what packing into them does. One chunk at a time is filled, uploaded and emptied.
 */
import { alignUp, type OperandArray, sameKind } from '@onegpu/core';

/** Small enough for a processor's caches, large enough that a model's weights are few uploads. */
const CHUNK_BYTES = 4 * 1024 * 1024;

export class PackingChunk {
  readonly #memory: ArrayBuffer;
  readonly #alignment: number;
  #used = 0;

  /**
   * @param bytes of all that will go through; a chunk is no larger than that
   * @param alignment of each constant, bytes
   * @param largest bytes of the largest constant that is packed; one larger than a chunk should be is a chunk of its own
   */
  constructor(bytes: number, alignment: number, largest = 0) {
    const most = alignUp(Math.max(largest, CHUNK_BYTES), alignment);
    this.#memory = new ArrayBuffer(Math.min(alignUp(bytes, alignment), most));
    this.#alignment = alignment;
  }

  /** The bytes taken since the last `clear`. */
  get filled(): Uint8Array {
    return new Uint8Array(this.#memory, 0, this.#used);
  }

  fits(bytes: number): boolean {
    const most = this.#used === 0 ? this.#memory.byteLength : Math.min(this.#memory.byteLength, CHUNK_BYTES);
    return this.#used + this.#room(bytes) <= most;
  }

  /** Whether the bytes lie here already, or are few enough to be copied. */
  suits({ buffer, byteLength }: ArrayBufferView): boolean {
    return buffer === this.#memory || (byteLength <= CHUNK_BYTES && this.fits(byteLength));
  }

  /** Zeros behind what is there already; fresh memory where the chunk has no room. It takes nothing yet. */
  readonly memory = <T extends OperandArray>(source: T, length: number): T => {
    const bytes = length * source.BYTES_PER_ELEMENT;
    if (!this.fits(bytes)) return sameKind(source, length);
    new Uint8Array(this.#memory, this.#used, bytes).fill(0);
    const arrayClass = source.constructor as new (memory: ArrayBuffer, offset: number, length: number) => T;
    return new arrayClass(this.#memory, this.#used, length);
  };

  /** Takes the bytes that `memory` gave, or a copy of others; they must fit. Answers with their offset. */
  take({ buffer, byteOffset, byteLength }: ArrayBufferView): number {
    const offset = this.#used;
    const here = buffer === this.#memory && byteOffset === offset;
    if (!here) new Uint8Array(this.#memory).set(new Uint8Array(buffer, byteOffset, byteLength), offset);
    this.#used += this.#room(byteLength);
    // What lies between this constant and the next is uploaded too.
    new Uint8Array(this.#memory, offset + byteLength, this.#used - offset - byteLength).fill(0);
    return offset;
  }

  clear(): void {
    this.#used = 0;
  }

  /** Bytes a constant takes; bindings cover whole vec4, so an empty one takes some too. */
  #room(bytes: number): number {
    return alignUp(Math.max(16, bytes), this.#alignment);
  }
}
