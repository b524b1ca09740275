/**
 * protobufjs's Reader with 64-bit integers as bigint. The stock reader gives Long objects where it finds that
 * package and rounded doubles elsewhere, which turns the largest int64 (a usual `ends` of Slice) into the smallest.
 * https://protobuf.dev/programming-guides/encoding/#varints
 */
import protobuf from 'protobufjs/minimal.js';

export class ExactReader extends protobuf.Reader {
  constructor(bytes: Uint8Array) {
    // Node's Buffer would come back from `bytes()` as Buffers; a plain view of the same memory does not.
    super(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  }

  /** A signed varint; the bigint passes for the Long of protobufjs's types. */
  override int64(): protobuf.Long {
    return BigInt.asIntN(64, this.varint()) as unknown as protobuf.Long;
  }

  override uint64(): protobuf.Long {
    return BigInt.asUintN(64, this.varint()) as unknown as protobuf.Long;
  }

  /** @throws RangeError past the end, or when the varint has more than ten bytes. */
  varint(): bigint {
    let low = 0;
    let high = 0n;
    for (let count = 0; count < 10; count++) {
      if (this.pos >= this.len) throw new RangeError(`index out of range: ${this.pos} >= ${this.len}`);
      const byte = this.buf[this.pos++] ?? 0;
      if (count < 4) low += (byte & 127) * 2 ** (7 * count);
      else high += BigInt(byte & 127) << BigInt(7 * count);
      if (byte < 128) return high === 0n ? BigInt(low) : high + BigInt(low);
    }
    throw new RangeError(`a varint of more than ten bytes at ${this.pos}`);
  }

  /**
   * A varint for tags and lengths; rounded from 2^53 on.
   * @throws RangeError past the end, or when the varint has more than ten bytes.
   */
  length(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < 10; count++) {
      if (this.pos >= this.len) throw new RangeError(`index out of range: ${this.pos} >= ${this.len}`);
      const byte = this.buf[this.pos++] ?? 0;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
    throw new RangeError(`a varint of more than ten bytes at ${this.pos}`);
  }
}
