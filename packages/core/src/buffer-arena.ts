/**
 * One big GPU buffer from which ranges are taken at planned offsets. WebGPU forbids one buffer as read-only and
 * read-write storage in one dispatch, so a plan spreads its tensors over several arenas.
 */
import { elementBytes, type GpuElementType } from './dtype.ts';
import { GpuLimitError } from './errors.ts';
import type { GpuBuffer } from './gpu-buffer.ts';
import type { GpuDevice } from './gpu-device.ts';

export class BufferArena {
  readonly buffer: GPUBuffer;
  /** Bytes. */
  readonly size: number;
  readonly #device: GpuDevice;

  private constructor(device: GpuDevice, buffer: GPUBuffer) {
    this.#device = device;
    this.buffer = buffer;
    this.size = buffer.size;
  }

  /** @throws GpuLimitError, GpuOutOfMemoryError */
  static async create(device: GpuDevice, bytes: number, label: string): Promise<BufferArena> {
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    return new BufferArena(device, await device.createBuffer({ label, size: bytes, usage }));
  }

  /** A range of `length` elements at `byteOffset`; the offset must be aligned and the range inside. */
  range<T extends GpuElementType>(byteOffset: number, length: number, type: T): GpuBuffer<T> {
    const alignment = this.#device.capabilities.limits.minStorageBufferOffsetAlignment;
    const end = byteOffset + length * elementBytes(type);
    if (byteOffset % alignment !== 0 || end > this.size) {
      throw new GpuLimitError('the range does not lie in the arena', {
        subject: 'BufferArena',
        field: 'byteOffset',
        got: `${byteOffset} to ${end}`,
        expected: `a multiple of ${alignment} and an end of at most ${this.size}`,
      });
    }
    return { buffer: this.buffer, type, byteOffset, length };
  }

  destroy(): void {
    this.#device.destroyBuffer(this.buffer);
  }
}
