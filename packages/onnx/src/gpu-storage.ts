/** The elements of a tensor in a buffer of the GPU: dense and row-major, in the bytes that the host's array has. */
import { alignUp, GpuDevice, InvalidInputError } from '@onegpu/core';
import { kindOf } from './describe.ts';

export interface GpuStorageRequest {
  readonly buffer: GPUBuffer;
  /** Of the elements. */
  readonly bytes: number;
  /** The device of the buffer, where it is known. */
  readonly device?: GpuDevice | undefined;
  /** How elements come to the host; by default by a copy on `device`. */
  readonly download?: (() => Promise<unknown>) | undefined;
  /** Called once, by the first `dispose`. */
  readonly dispose?: (() => void) | undefined;
}

export class GpuStorage {
  readonly device: GpuDevice | undefined;
  readonly download: GpuStorageRequest['download'];
  readonly #bytes: number;
  readonly #dispose: (() => void) | undefined;
  #buffer: GPUBuffer | undefined;

  /** @throws InvalidInputError for a buffer that is too small or cannot be copied from */
  constructor({ buffer, bytes, device, download, dispose }: GpuStorageRequest) {
    const check = (field: string, value: unknown, isValid: boolean, expected: string): void => {
      if (isValid) return;
      throw new InvalidInputError('this is none', { subject: 'Tensor', field, got: kindOf(value), expected });
    };
    check('gpuBuffer', buffer, typeof buffer?.mapAsync === 'function', 'a GPUBuffer');
    const isOurs = device === undefined || device instanceof GpuDevice;
    check('device', device, isOurs, 'a GpuDevice, as GpuDevice.create({ device }) makes of a GPUDevice');
    for (const [field, value] of Object.entries({ download, dispose }))
      check(field, value, value === undefined || typeof value === 'function', 'a function');
    const size = alignUp(bytes, 4);
    if (buffer.size < size || (buffer.usage & GPUBufferUsage.COPY_SRC) === 0) {
      throw new InvalidInputError('the buffer does not hold the tensor', {
        subject: 'Tensor',
        field: 'gpuBuffer',
        got: `${buffer.size} bytes, usage ${buffer.usage}`,
        expected: `at least ${size} bytes, and usage COPY_SRC`,
      });
    }
    this.device = device;
    this.download = download;
    this.#bytes = bytes;
    this.#dispose = dispose;
    this.#buffer = buffer;
  }

  /** @throws InvalidInputError once disposed of */
  get buffer(): GPUBuffer {
    if (this.#buffer !== undefined) return this.#buffer;
    throw new InvalidInputError('the tensor was disposed of', { subject: 'Tensor', field: 'gpuBuffer' });
  }

  dispose(): void {
    const live = this.#buffer !== undefined;
    this.#buffer = undefined;
    if (live) this.#dispose?.();
  }

  /** A copy of the bytes. @throws InvalidInputError, GpuOutOfMemoryError, GpuDeviceLostError */
  async read(): Promise<ArrayBuffer> {
    const { device } = this;
    if (device === undefined) {
      throw new InvalidInputError('the device of the buffer is not known', {
        subject: 'Tensor',
        field: 'device',
        remedy: 'Give fromGpuBuffer the device, or a download of your own.',
      });
    }
    device.assertUsable();
    if (this.#bytes === 0) return new ArrayBuffer(0);
    const size = alignUp(this.#bytes, 4);
    const staging = await device.staging.acquire(size);
    try {
      await device.guard('Tensor', () => {
        const encoder = device.raw.createCommandEncoder();
        encoder.copyBufferToBuffer(this.buffer, 0, staging, 0, size);
        device.raw.queue.submit([encoder.finish()]);
      });
      await staging.mapAsync(GPUMapMode.READ, 0, size);
    } catch (error) {
      device.destroyBuffer(staging);
      device.assertUsable();
      throw error;
    }
    const copy = staging.getMappedRange(0, size).slice(0, this.#bytes);
    staging.unmap();
    device.staging.release(staging);
    return copy;
  }
}
