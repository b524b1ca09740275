/**
 * Readback buffers, reused: one belongs to one run at a time and goes back when its data has been copied out.
 * Sizes are rounded up to powers of two so that runs of different shapes share them.
 */
import type { GpuDevice } from './gpu-device.ts';

const SMALLEST = 4096;
/** Free buffers kept of each size; more than that are destroyed when they come back. */
const KEPT_PER_SIZE = 4;

export class StagingPool {
  readonly #device: GpuDevice;
  readonly #free = new Map<number, GPUBuffer[]>();

  constructor(device: GpuDevice) {
    this.#device = device;
  }

  /** An unmapped MAP_READ buffer of at least `bytes`. @throws GpuLimitError, GpuOutOfMemoryError */
  async acquire(bytes: number): Promise<GPUBuffer> {
    const size = this.#roundUp(bytes);
    const free = this.#free.get(size)?.pop();
    if (free !== undefined) return free;
    return this.#device.createBuffer({
      label: `readback ${size}`,
      size,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
  }

  release(buffer: GPUBuffer): void {
    if (this.#device.isLost) return;
    const kept = this.#free.get(buffer.size) ?? [];
    if (kept.length >= KEPT_PER_SIZE) {
      this.#device.destroyBuffer(buffer);
      return;
    }
    kept.push(buffer);
    this.#free.set(buffer.size, kept);
  }

  /** Destroys the free buffers. */
  clear(): void {
    for (const buffers of this.#free.values()) {
      for (const buffer of buffers) this.#device.destroyBuffer(buffer);
    }
    this.#free.clear();
  }

  #roundUp(bytes: number): number {
    const size = 2 ** Math.ceil(Math.log2(Math.max(bytes, SMALLEST)));
    // A power of two past the limit would refuse what itself still fits.
    return size > this.#device.capabilities.limits.maxBufferSize ? Math.ceil(bytes / 4) * 4 : size;
  }
}
