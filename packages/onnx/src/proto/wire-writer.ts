/** Protobuf's scalars to bytes. https://protobuf.dev/programming-guides/encoding/ */

export class WireWriter {
  /** Long bytes stand here as they were given, and are copied once, by `finish`. */
  readonly #parts: Uint8Array[] = [];
  #short: number[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** A negative integer is written as the 64-bit one of the same value. */
  varint(value: number | bigint): void {
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 127n; rest >>= 7n) this.#push(Number(rest & 127n) | 128);
    this.#push(Number(rest));
  }

  float(value: number): void {
    this.bytes(new Uint8Array(Float32Array.of(value).buffer));
  }

  double(value: number): void {
    this.bytes(new Uint8Array(Float64Array.of(value).buffer));
  }

  bytes(bytes: Uint8Array): void {
    this.#close();
    this.#parts.push(bytes);
    this.#length += bytes.byteLength;
  }

  /** What another writer holds, behind its length. */
  delimited(content: WireWriter): void {
    this.varint(content.length);
    content.#close();
    this.#close();
    for (const part of content.#parts) this.#parts.push(part);
    this.#length += content.length;
  }

  finish(): Uint8Array {
    this.#close();
    const bytes = new Uint8Array(this.#length);
    let position = 0;
    for (const part of this.#parts) {
      bytes.set(part, position);
      position += part.byteLength;
    }
    return bytes;
  }

  #push(byte: number): void {
    this.#short.push(byte);
    this.#length++;
  }

  #close(): void {
    if (this.#short.length === 0) return;
    this.#parts.push(Uint8Array.from(this.#short));
    this.#short = [];
  }
}
