/**
 * Time of a piece of GPU work from its begin to its end, whatever it encodes: two timestamps where the adapter has
 * them, else the wall clock from the submit to its completion. Both timestamps are written at the end of an empty
 * pass, in front of the work and behind it: the begin of a pass may be stamped while the pass before it still runs.
 */
import type { GpuDevice } from './gpu-device.ts';

const STAMP_BYTES = 16;

export type TimeSource = 'timestamps' | 'wall clock';

export class GpuTimer {
  readonly source: TimeSource;
  readonly #device: GpuDevice;
  readonly #queries: GPUQuerySet | undefined;
  readonly #resolved: GPUBuffer | undefined;

  private constructor(device: GpuDevice, queries: GPUQuerySet | undefined, resolved: GPUBuffer | undefined) {
    this.#device = device;
    this.#queries = queries;
    this.#resolved = resolved;
    this.source = queries === undefined ? 'wall clock' : 'timestamps';
  }

  /** @throws GpuOutOfMemoryError, GpuDeviceLostError */
  static async create(device: GpuDevice): Promise<GpuTimer> {
    if (!device.capabilities.timestamps) return new GpuTimer(device, undefined, undefined);
    const resolved = await device.createBuffer({
      label: 'timestamps',
      size: STAMP_BYTES,
      usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
    });
    return new GpuTimer(device, device.raw.createQuerySet({ type: 'timestamp', count: 2 }), resolved);
  }

  /** Milliseconds of what `encode` records; waits for it. @throws what the GPU refuses, as typed errors */
  async time(encode: (encoder: GPUCommandEncoder) => void): Promise<number> {
    const queries = this.#queries;
    const resolved = this.#resolved;
    if (queries === undefined || resolved === undefined) return this.#wallClock(encode);
    const readback = await this.#device.staging.acquire(STAMP_BYTES);
    try {
      await this.#device.guard('GpuTimer', () => {
        const encoder = this.#device.raw.createCommandEncoder();
        stamp(encoder, queries, 0);
        encode(encoder);
        stamp(encoder, queries, 1);
        encoder.resolveQuerySet(queries, 0, 2, resolved, 0);
        encoder.copyBufferToBuffer(resolved, 0, readback, 0, STAMP_BYTES);
        this.#device.raw.queue.submit([encoder.finish()]);
      });
      await readback.mapAsync(GPUMapMode.READ, 0, STAMP_BYTES);
      const [begin = 0n, end = 0n] = new BigUint64Array(readback.getMappedRange(0, STAMP_BYTES).slice(0));
      readback.unmap();
      return Number(end - begin) / 1e6;
    } finally {
      this.#device.staging.release(readback);
    }
  }

  destroy(): void {
    this.#queries?.destroy();
    if (this.#resolved !== undefined) this.#device.destroyBuffer(this.#resolved);
  }

  async #wallClock(encode: (encoder: GPUCommandEncoder) => void): Promise<number> {
    const encoder = this.#device.raw.createCommandEncoder();
    encode(encoder);
    const commands = encoder.finish();
    const begin = performance.now();
    await this.#device.guard('GpuTimer', () => this.#device.raw.queue.submit([commands]));
    await this.#device.raw.queue.onSubmittedWorkDone();
    return performance.now() - begin;
  }
}

function stamp(encoder: GPUCommandEncoder, querySet: GPUQuerySet, endOfPassWriteIndex: number): void {
  encoder.beginComputePass({ timestampWrites: { querySet, endOfPassWriteIndex } }).end();
}
