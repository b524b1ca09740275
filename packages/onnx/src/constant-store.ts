/**
 * Constants on the GPU, each uploaded once under its key. They are packed and uploaded a chunk at a time: constants of
 * one chunk share a buffer, larger ones have their own.
 */
import { alignUp, elementBytes, type GpuBuffer, type GpuDevice, writeBytes } from '@onegpu/core';
import { PackingChunk } from './packing-chunk.ts';
import { checkSize } from './size-limits.ts';
import type { StoredConstant } from './stored-tensors.ts';

export class ConstantStore {
  readonly #device: GpuDevice;
  readonly #label: string;
  readonly #ranges = new Map<string, GpuBuffer>();
  readonly #buffers: GPUBuffer[] = [];
  #uploading: Promise<void> = Promise.resolve();
  #previous: Promise<undefined> = Promise.resolve(undefined);

  constructor(device: GpuDevice, label: string) {
    this.#device = device;
    this.#label = label;
  }

  /**
   * Uploads those that are not there yet; plans made at the same time upload one after the other, so that none is
   * uploaded twice.
   * @throws GpuLimitError naming the constant, GpuOutOfMemoryError
   */
  ensure(
    constants: readonly StoredConstant[],
    onUploaded: (done: number, total: number) => void = () => {},
  ): Promise<void> {
    const uploaded = this.#uploading.then(() => this.#ensure(constants, onUploaded));
    this.#uploading = uploaded.catch(() => {});
    return uploaded;
  }

  async #ensure(
    constants: readonly StoredConstant[],
    onUploaded: (done: number, total: number) => void,
  ): Promise<void> {
    const missing = new Map<string, StoredConstant>();
    for (const constant of constants) {
      if (!this.#ranges.has(constant.key)) missing.set(constant.key, constant);
    }
    const bytes = [...missing.values()].reduce((sum, constant) => sum + this.#room(constant.sourceBytes), 0);
    const upload = new Upload(missing.size, onUploaded);
    const chunk = new PackingChunk(bytes, this.#alignment);
    for (const constant of missing.values()) {
      if (!chunk.fits(constant.sourceBytes)) await this.#send(chunk, upload);
      const data = constant.data(chunk.memory);
      checkSize(`constant "${constant.key}"`, data.byteLength, this.#device.capabilities.limits);
      if (chunk.fits(data.byteLength)) upload.placed.push({ constant, data, byteOffset: chunk.take(data) });
      else await this.#sendAlone({ constant, data, byteOffset: 0 }, upload);
    }
    await this.#send(chunk, upload);
  }

  get(key: string): GpuBuffer | undefined {
    return this.#ranges.get(key);
  }

  destroy(): void {
    for (const buffer of this.#buffers) this.#device.destroyBuffer(buffer);
    this.#buffers.length = 0;
    this.#ranges.clear();
  }

  async #send(chunk: PackingChunk, upload: Upload): Promise<void> {
    const { filled } = chunk;
    if (filled.byteLength > 0) await this.#write(filled, upload.placed);
    chunk.clear();
    upload.sent(upload.placed.splice(0).length);
  }

  /** A constant that is larger than a chunk, in a buffer of its own. */
  async #sendAlone(placed: PlacedConstant, upload: Upload): Promise<void> {
    await this.#write(placed.data, [placed]);
    upload.sent(1);
  }

  async #write(bytes: ArrayBufferView, placed: readonly PlacedConstant[]): Promise<void> {
    const size = this.#room(bytes.byteLength);
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;
    const buffer = await this.#device.createBuffer({ label: this.#label, size, usage });
    this.#buffers.push(buffer);
    const { queue } = this.#device.raw;
    // Bytes on their way lie in memory of the device's own; the one before has left it when this one follows.
    await this.#previous;
    await this.#device.guard(this.#label, () => writeBytes(queue, { buffer, byteOffset: 0 }, bytes));
    this.#previous = queue.onSubmittedWorkDone().catch(() => undefined);
    for (const { constant, data, byteOffset } of placed) {
      const length = data.byteLength / elementBytes(constant.type);
      this.#ranges.set(constant.key, { buffer, type: constant.type, byteOffset, length });
    }
  }

  get #alignment(): number {
    return this.#device.capabilities.limits.minStorageBufferOffsetAlignment;
  }

  #room(bytes: number): number {
    return alignUp(Math.max(16, bytes), this.#alignment);
  }
}

interface PlacedConstant {
  readonly constant: StoredConstant;
  readonly data: ArrayBufferView;
  readonly byteOffset: number;
}

/** What is on its way: constants in the chunk, and how many are uploaded. */
class Upload {
  readonly placed: PlacedConstant[] = [];
  readonly #total: number;
  readonly #onUploaded: (done: number, total: number) => void;
  #done = 0;

  constructor(total: number, onUploaded: (done: number, total: number) => void) {
    this.#total = total;
    this.#onUploaded = onUploaded;
  }

  sent(count: number): void {
    if (count === 0) return;
    this.#done += count;
    this.#onUploaded(this.#done, this.#total);
  }
}
