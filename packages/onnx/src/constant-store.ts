/**
 * Constants on the GPU, each uploaded once under its key. All constants that a plan adds go into one buffer, or into a
 * few where the adapter's limit is smaller; they are packed and uploaded a chunk at a time.
 */
import { alignUp, elementBytes, type GpuBuffer, type GpuDevice, writeBytes } from '@onegpu/core';
import { PackingChunk } from './packing-chunk.ts';
import { checkSize } from './size-limits.ts';
import type { StoredConstant } from './stored-tensors.ts';

/** Bytes handed to the queue at once; Dawn copies larger pieces into fresh memory. */
const SLICE_BYTES = 4 * 1024 * 1024;

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
    const sized = [...missing.values()].map(sizedConstant);
    for (const { constant, bytes } of sized) {
      checkSize(`constant "${constant.key}"`, bytes, this.#device.capabilities.limits);
    }
    let done = 0;
    for (const group of this.#groups(sized)) {
      await this.#upload(group);
      done += group.length;
      onUploaded(done, sized.length);
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
  #groups(sized: readonly SizedConstant[]): SizedConstant[][] {
    const limit = this.#device.capabilities.limits.maxBufferSize;
    const groups: SizedConstant[][] = [];
    let bytes = Number.POSITIVE_INFINITY;
    for (const entry of sized) {
      const size = this.#room(entry.bytes);
      if (bytes + size > limit) {
        groups.push([]);
        bytes = 0;
      }
      groups.at(-1)?.push(entry);
      bytes += size;
    }
    return groups;
  }

  async #upload(group: readonly SizedConstant[]): Promise<void> {
    const size = group.reduce((sum, entry) => sum + this.#room(entry.bytes), 0);
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;
    const buffer = await this.#device.createBuffer({ label: this.#label, size, usage });
    this.#buffers.push(buffer);
    const largest = group.reduce(
      (most, { bytes, made }) => Math.max(most, made === undefined ? bytes : 0),
      0,
    );
    const chunk = new PackingChunk(size, this.#alignment, largest);
    let chunkOffset = 0;
    let byteOffset = 0;
    for (const { constant, bytes, made } of group) {
      if (!chunk.fits(bytes)) {
        await this.#write(buffer, chunkOffset, chunk.filled);
        chunk.clear();
        chunkOffset = byteOffset;
      }
      const data = made ?? constant.data(chunk.memory);
      if (data.byteLength !== bytes) throw new Error(`constant ${constant.key} has ${data.byteLength} bytes`);
      if (chunk.suits(data)) chunk.take(data);
      else await this.#write(buffer, byteOffset, data);
      byteOffset += this.#room(bytes);
      if (chunk.filled.byteLength === 0) chunkOffset = byteOffset;
    }
    await this.#write(buffer, chunkOffset, chunk.filled);
    this.#place(buffer, group);
  }

  #place(buffer: GPUBuffer, group: readonly SizedConstant[]): void {
    let byteOffset = 0;
    for (const { constant, bytes } of group) {
      const { key, type } = constant;
      this.#ranges.set(key, { buffer, type, byteOffset, length: bytes / elementBytes(type) });
      byteOffset += this.#room(bytes);
    }
  }

  /**
   * A slice at a time, each once the one before is on the GPU: what is on its way lies in memory of the device's own,
   * which is then used again.
   */
  async #write(buffer: GPUBuffer, byteOffset: number, data: ArrayBufferView): Promise<void> {
    const { queue } = this.#device.raw;
    for (let at = 0; at < data.byteLength; at += SLICE_BYTES) {
      const length = Math.min(SLICE_BYTES, data.byteLength - at);
      const slice = new Uint8Array(data.buffer, data.byteOffset + at, length);
      await this.#previous;
      const place = { buffer, byteOffset: byteOffset + at };
      await this.#device.guard(this.#label, () => writeBytes(queue, place, slice));
      this.#previous = queue.onSubmittedWorkDone().catch(() => undefined);
    }
  }

  get #alignment(): number {
    return this.#device.capabilities.limits.minStorageBufferOffsetAlignment;
  }

  #room(bytes: number): number {
    return alignUp(Math.max(16, bytes), this.#alignment);
  }
}

interface SizedConstant {
  readonly constant: StoredConstant;
  readonly bytes: number;
  /** The data, where they had to be made to know their size. */
  readonly made: ArrayBufferView | undefined;
}

function sizedConstant(constant: StoredConstant): SizedConstant {
  if (constant.bytes !== undefined) return { constant, bytes: constant.bytes, made: undefined };
  const made = constant.data();
  return { constant, bytes: made.byteLength, made };
}
