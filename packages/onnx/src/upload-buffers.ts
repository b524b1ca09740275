/**
 * Large inputs on hardware go through buffers that stay allocated, and mapped between runs. Dawn's `writeBuffer` takes
 * fresh staging memory for all that its ring of 4 MiB does not hold, and frees it again: on an H200 4.8 MB took 1.5 ms,
 * through a mapped buffer 0.4 ms; 39 MB 13 and 3.1 ms, in pieces of 4 MiB 4.4 ms; 3.1 MB took 0.25 ms in some processes
 * and 1.3 in others. An input is cut into large pieces, each with commands of its own, so that the GPU fetches a piece
 * while the next is filled. A software adapter has no bus to cross and keeps `writeBuffer`.
 */
import { alignUp, type GpuBuffer, type GpuCapabilities, type GpuDevice, rangeBytes } from '@onegpu/core';
import type { PreparedPlan } from './prepared-plan.ts';

/** Smaller inputs fit the ring with those of the runs before, which it still holds. */
const LEAST_BYTES = 2 ** 20;
const PIECE_BYTES = 2 ** 24;

/** Bytes of an input from `byteOffset` on, and the buffer they go through, mapped while no run has it. */
interface Piece {
  readonly input: string;
  readonly byteOffset: number;
  readonly bytes: number;
  readonly buffer: GPUBuffer;
}

/** Whether an input goes through buffers of its own. */
export function isLargeUpload(range: GpuBuffer, { software }: Pick<GpuCapabilities, 'software'>): boolean {
  return !software && rangeBytes(range) >= LEAST_BYTES;
}

export class UploadBuffers {
  readonly #device: GpuDevice;
  readonly #pieces: readonly Piece[];

  private constructor(device: GpuDevice, pieces: readonly Piece[]) {
    this.#device = device;
    this.#pieces = pieces;
  }

  /** @param gpuInputs inputs that have none @throws GpuOutOfMemoryError, GpuDeviceLostError */
  static async create(
    device: GpuDevice,
    plan: PreparedPlan,
    gpuInputs: readonly string[] = [],
  ): Promise<UploadBuffers> {
    const pieces: Piece[] = [];
    try {
      for (const [input, tensor] of plan.execution.inputs) {
        const range = plan.range(tensor);
        if (gpuInputs.includes(input) || !isLargeUpload(range, device.capabilities)) continue;
        const end = rangeBytes(range);
        for (let byteOffset = 0; byteOffset < end; byteOffset += PIECE_BYTES) {
          const bytes = Math.min(PIECE_BYTES, end - byteOffset);
          pieces.push({ input, byteOffset, bytes, buffer: await mappedBuffer(device, bytes) });
        }
      }
      return new UploadBuffers(device, pieces);
    } catch (error) {
      for (const { buffer } of pieces) device.destroyBuffer(buffer);
      throw error;
    }
  }

  /** Commands for the copies of each piece to where the plan has its input. */
  encode(plan: PreparedPlan): GPUCommandBuffer[] {
    return this.#pieces.map(({ input, byteOffset, bytes, buffer }) => {
      const tensor = plan.execution.inputs.get(input);
      if (tensor === undefined) throw new Error(`the plan has no input ${input}`);
      const range = plan.range(tensor);
      const encoder = this.#device.raw.createCommandEncoder();
      encoder.copyBufferToBuffer(buffer, 0, range.buffer, range.byteOffset + byteOffset, bytes);
      return encoder.finish();
    });
  }

  /** Fills every piece, and submits its commands before the next one is filled; gives back those of the last piece. */
  submit(
    feed: (input: string) => ArrayBufferView,
    commands: readonly GPUCommandBuffer[],
  ): GPUCommandBuffer[] {
    this.#pieces.forEach((piece, index) => {
      fill(piece, feed(piece.input));
      const copy = commands[index];
      if (copy !== undefined && index < this.#pieces.length - 1) this.#device.raw.queue.submit([copy]);
    });
    return commands.slice(-1);
  }

  /** Resolves when all can be filled again. */
  async map(): Promise<void> {
    await Promise.all(this.#pieces.map(({ buffer }) => buffer.mapAsync(GPUMapMode.WRITE)));
  }

  destroy(): void {
    for (const { buffer } of this.#pieces) this.#device.destroyBuffer(buffer);
  }
}

function mappedBuffer(device: GpuDevice, bytes: number): Promise<GPUBuffer> {
  const usage = GPUBufferUsage.MAP_WRITE | GPUBufferUsage.COPY_SRC;
  return device.createBuffer({ label: `upload ${bytes}`, size: bytes, usage, mappedAtCreation: true });
}

/** Up to three bytes behind the data are zeroed, as by `writeBytes`. */
function fill({ byteOffset, bytes, buffer }: Piece, data: ArrayBufferView): void {
  const length = Math.min(bytes, data.byteLength - byteOffset);
  const mapped = new Uint8Array(buffer.getMappedRange(0, alignUp(bytes, 4)));
  mapped.set(new Uint8Array(data.buffer, data.byteOffset + byteOffset, length));
  mapped.fill(0, length);
  buffer.unmap();
}
