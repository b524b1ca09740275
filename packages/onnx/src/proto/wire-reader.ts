/**
 * Protobuf's scalars from bytes; 64-bit integers are bigint, so that the largest int64 (a usual `ends` of Slice) stays
 * what it is. https://protobuf.dev/programming-guides/encoding/
 */

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const SINGLE_BYTES = new TextDecoder('windows-1252');
const LONGEST_VARINT = 10;

/** Every read throws a RangeError past the end of the bytes. */
export class WireReader {
  readonly bytes: Uint8Array;
  position = 0;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    // Parts of Node's Buffer would be Buffers; those of a plain view of the same memory are not.
    this.bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  int64(): bigint {
    return BigInt.asIntN(64, this.#varint());
  }

  uint64(): bigint {
    return BigInt.asUintN(64, this.#varint());
  }

  /** The lowest 32 bits of a varint; negative numbers are written with 64. */
  int32(): number {
    let value = 0;
    for (let count = 0; count < LONGEST_VARINT; count++) {
      const byte = this.#byte();
      if (count < 5) value |= (byte & 127) << (7 * count);
      if (byte < 128) return value;
    }
    throw this.#tooLong();
  }

  /** A tag or a length; rounded from 2^53 on. */
  length(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < LONGEST_VARINT; count++) {
      const byte = this.#byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
    throw this.#tooLong();
  }

  float(): number {
    const value = this.#view.getFloat32(this.position, true);
    this.position += 4;
    return value;
  }

  double(): number {
    const value = this.#view.getFloat64(this.position, true);
    this.position += 8;
    return value;
  }

  /** The bytes up to `stop`, a view of the memory they came in. */
  slice(stop: number): Uint8Array {
    const bytes = this.bytes.subarray(this.position, stop);
    this.position = stop;
    return bytes;
  }

  /** The text up to `stop`; bytes that are no UTF-8 become one character each, so that names stay different. */
  text(stop: number): string {
    const bytes = this.slice(stop);
    try {
      return UTF8.decode(bytes);
    } catch {
      return SINGLE_BYTES.decode(bytes);
    }
  }

  #varint(): bigint {
    let low = 0;
    let high = 0n;
    for (let count = 0; count < LONGEST_VARINT; count++) {
      const byte = this.#byte();
      if (count < 4) low += (byte & 127) * 2 ** (7 * count);
      else high += BigInt(byte & 127) << BigInt(7 * count);
      if (byte < 128) return high === 0n ? BigInt(low) : high + BigInt(low);
    }
    throw this.#tooLong();
  }

  #byte(): number {
    const byte = this.bytes[this.position];
    if (byte === undefined) throw new RangeError(`nothing at ${this.position} of ${this.bytes.length} bytes`);
    this.position++;
    return byte;
  }

  #tooLong(): RangeError {
    return new RangeError(`a varint of more than ${LONGEST_VARINT} bytes at ${this.position}`);
  }
}
