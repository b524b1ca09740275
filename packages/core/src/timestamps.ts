/**
 * GPU time of every dispatch: one compute pass each, a timestamp in front of the first and at the end of every one, so a
 * pass is timed from the end of the one before it and the gap between them is its own. A timestamp costs an H200 some
 * 4 us: one a pass instead of two. The one in front is the end of an empty pass: the begin of a pass may be stamped
 * while uploads before it still run. Ticks are nanoseconds; only profiled runs are encoded this way.
 */
import type { GpuDevice } from './gpu-device.ts';

/** WebGPU's limit of queries in one set. */
const QUERIES_PER_SET = 4096;

/** Begin (the end of the pass before it) and end of one pass in nanoseconds, on the GPU's clock. */
export interface PassTime {
  readonly begin: number;
  readonly end: number;
}

export class TimestampRecorder {
  readonly #device: GpuDevice;
  readonly #sets: GPUQuerySet[] = [];
  readonly #resolved: GPUBuffer;
  readonly #passes: number;

  private constructor(device: GpuDevice, passes: number, resolved: GPUBuffer) {
    this.#device = device;
    this.#passes = passes;
    this.#resolved = resolved;
    for (let first = 0; first < passes + 1; first += QUERIES_PER_SET) {
      const count = Math.min(QUERIES_PER_SET, passes + 1 - first);
      this.#sets.push(device.raw.createQuerySet({ type: 'timestamp', count }));
    }
  }

  /** A recorder for `passes` passes; the adapter must offer timestamps. */
  static async create(device: GpuDevice, passes: number): Promise<TimestampRecorder> {
    const resolved = await device.createBuffer({
      label: 'timestamps',
      size: 8 * (passes + 1),
      usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
    });
    return new TimestampRecorder(device, passes, resolved);
  }

  /** Encodes the timestamp that the first pass is timed from. */
  encodeBegin(encoder: GPUCommandEncoder): void {
    const [querySet] = this.#sets;
    if (querySet === undefined) throw new RangeError('no query set');
    encoder.beginComputePass({ timestampWrites: { querySet, endOfPassWriteIndex: 0 } }).end();
  }

  /** What pass number `index` writes. */
  writes(index: number): GPUComputePassTimestampWrites {
    const query = index + 1;
    const querySet = this.#sets[Math.floor(query / QUERIES_PER_SET)];
    if (querySet === undefined || index >= this.#passes) {
      throw new RangeError(`pass ${index} of ${this.#passes}`);
    }
    return { querySet, endOfPassWriteIndex: query % QUERIES_PER_SET };
  }

  /** Encodes the resolve after the last pass and the copy into `readback`, which must hold `bytes` behind `byteOffset`. */
  encodeResolve(encoder: GPUCommandEncoder, readback: GPUBuffer, byteOffset = 0): void {
    this.#sets.forEach((set, index) => {
      encoder.resolveQuerySet(set, 0, set.count, this.#resolved, index * QUERIES_PER_SET * 8);
    });
    encoder.copyBufferToBuffer(this.#resolved, 0, readback, byteOffset, this.bytes);
  }

  /** Bytes of the timestamps of all passes. */
  get bytes(): number {
    return 8 * (this.#passes + 1);
  }

  /** Decodes what was read back. */
  decode(data: ArrayBuffer): PassTime[] {
    const ticks = new BigUint64Array(data, 0, this.#passes + 1);
    const origin = ticks[0] ?? 0n;
    const at = (query: number): number => Number((ticks[query] ?? origin) - origin);
    return Array.from({ length: this.#passes }, (_, index) => ({ begin: at(index), end: at(index + 1) }));
  }

  destroy(): void {
    for (const set of this.#sets) set.destroy();
    this.#device.destroyBuffer(this.#resolved);
  }
}
