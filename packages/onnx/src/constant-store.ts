/**
 * Constants on the GPU, each uploaded once under its key. All constants that a plan adds go into one buffer, or
 * into a few where the adapter's limit is smaller.
 */
import { alignUp, elementBytes, type GpuBuffer, type GpuDevice, writeBytes } from '@onegpu/core';
import { checkSize } from './size-limits.ts';
import type { StoredConstant } from './stored-tensors.ts';

export class ConstantStore {
  readonly #device: GpuDevice;
  readonly #label: string;
  readonly #ranges = new Map<string, GpuBuffer>();
  readonly #buffers: GPUBuffer[] = [];
  #uploading: Promise<void> = Promise.resolve();

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
    const packed = [...missing.values()].map((constant) => ({ constant, data: constant.data() }));
    for (const { constant, data } of packed) {
      checkSize(`constant "${constant.key}"`, data.byteLength, this.#device.capabilities.limits);
    }
    let done = 0;
    for (const chunk of this.#chunks(packed)) {
      await this.#upload(chunk);
      done += chunk.length;
      onUploaded(done, packed.length);
    }
  }

  get(key: string): GpuBuffer | undefined {
    return this.#ranges.get(key);
  }

  destroy(): void {
    for (const buffer of this.#buffers) this.#device.destroyBuffer(buffer);
    this.#buffers.length = 0;
    this.#ranges.clear();
  }

  /** Groups in order so that each group's bytes stay under the adapter's limit of one buffer. */
  #chunks(packed: readonly PackedConstant[]): PackedConstant[][] {
    const limit = this.#device.capabilities.limits.maxBufferSize;
    const chunks: PackedConstant[][] = [];
    let bytes = Number.POSITIVE_INFINITY;
    for (const entry of packed) {
      const size = this.#aligned(entry.data);
      if (bytes + size > limit) {
        chunks.push([]);
        bytes = 0;
      }
      chunks.at(-1)?.push(entry);
      bytes += size;
    }
    return chunks;
  }

  async #upload(chunk: readonly PackedConstant[]): Promise<void> {
    const size = chunk.reduce((sum, entry) => sum + this.#aligned(entry.data), 0);
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;
    const buffer = await this.#device.createBuffer({ label: this.#label, size, usage });
    this.#buffers.push(buffer);
    await this.#device.guard(this.#label, () => {
      let byteOffset = 0;
      for (const { constant, data } of chunk) {
        writeBytes(this.#device.raw.queue, { buffer, byteOffset }, data);
        this.#ranges.set(constant.key, {
          buffer,
          type: constant.type,
          byteOffset,
          length: data.byteLength / elementBytes(constant.type),
        });
        byteOffset += this.#aligned(data);
      }
    });
  }

  #aligned(data: ArrayBufferView): number {
    return alignUp(
      Math.max(16, data.byteLength),
      this.#device.capabilities.limits.minStorageBufferOffsetAlignment,
    );
  }
}

interface PackedConstant {
  readonly constant: StoredConstant;
  readonly data: ArrayBufferView;
}
