/**
 * GPU time of every dispatch: one compute pass each, a timestamp at the begin of the first and at the end of every
 * one, so a pass is timed from the end of the one before it and the gap between them is its own. A timestamp costs
 * an H200 some 4 us: one a pass instead of two. Ticks are nanoseconds; only profiled runs are encoded this way.
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

  /** What pass number `index` writes. */
  writes(index: number): GPUComputePassTimestampWrites {
    const query = index + 1;
    const querySet = this.#sets[Math.floor(query / QUERIES_PER_SET)];
    if (querySet === undefined || index >= this.#passes) {
      throw new RangeError(`pass ${index} of ${this.#passes}`);
    }
    const end = { querySet, endOfPassWriteIndex: query % QUERIES_PER_SET };
    return index === 0 ? { ...end, beginningOfPassWriteIndex: 0 } : end;
  }

  /** What each of `parts` compute passes writes that are timed as a whole: the begin of the first, the end of the last. */
  spanWrites(parts: number): (GPUComputePassTimestampWrites | undefined)[] {
    const { querySet, endOfPassWriteIndex, beginningOfPassWriteIndex } = this.writes(0);
    if (parts === 1) return [this.writes(0)];
    const between = new Array<undefined>(parts - 2).fill(undefined);
    return [
      { querySet, beginningOfPassWriteIndex: beginningOfPassWriteIndex ?? 0 },
      ...between,
      { querySet, endOfPassWriteIndex: endOfPassWriteIndex ?? 1 },
    ];
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
