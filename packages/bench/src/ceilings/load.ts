/** A kernel of the ceilings, bound to its memory and ready to be encoded, and what it leaves in that memory. */
import {
  type DispatchPass,
  type DispatchPlan,
  DispatchProgram,
  type GpuBuffer,
  type GpuDevice,
} from '@onegpu/core';

/** Words of an operand: a length, zero-filled, or the contents. */
export type OperandContents = number | Uint32Array | Float32Array;

export interface LoadSpec {
  readonly pass: DispatchPass;
  /** Times the pass stands in the program, each waiting for the one before. */
  readonly repeats: number;
  readonly operands: Readonly<Record<string, OperandContents>>;
  /** Runs once, when the load is made; binds the same operands. */
  readonly prepare?: DispatchPass;
}

export class GpuLoad {
  readonly #device: GpuDevice;
  readonly #program: DispatchProgram;
  readonly #operands: Readonly<Record<string, GpuBuffer>>;

  private constructor(
    device: GpuDevice,
    program: DispatchProgram,
    operands: Readonly<Record<string, GpuBuffer>>,
  ) {
    this.#device = device;
    this.#program = program;
    this.#operands = operands;
  }

  /** @throws GpuShaderError, GpuLimitError, GpuOutOfMemoryError */
  static async create(device: GpuDevice, spec: LoadSpec): Promise<GpuLoad> {
    const { pass, repeats, operands, prepare } = spec;
    const placed: Record<string, GpuBuffer> = {};
    try {
      for (const [operand, contents] of Object.entries(operands)) {
        placed[operand] = await place(device, operand, contents);
      }
      if (prepare !== undefined) await runOnce(device, prepare, placed);
      const dispatch = { plan: planOf(pass), operands: placed };
      const program = await DispatchProgram.create(device, Array<typeof dispatch>(repeats).fill(dispatch));
      return new GpuLoad(device, program, placed);
    } catch (error) {
      for (const { buffer } of Object.values(placed)) device.destroyBuffer(buffer);
      throw error;
    }
  }

  encode(encoder: GPUCommandEncoder): void {
    this.#program.encode(encoder);
  }

  /** `words` words of an operand, from word `first` on. */
  async read(operand: string, first: number, words: number): Promise<ArrayBuffer> {
    const range = this.#operands[operand];
    if (range === undefined) throw new RangeError(`there is no operand "${operand}"`);
    const readback = await this.#device.staging.acquire(4 * words);
    await this.#device.guard('GpuLoad', () => {
      const encoder = this.#device.raw.createCommandEncoder();
      encoder.copyBufferToBuffer(range.buffer, 4 * first, readback, 0, 4 * words);
      this.#device.raw.queue.submit([encoder.finish()]);
    });
    await readback.mapAsync(GPUMapMode.READ, 0, 4 * words);
    const data = readback.getMappedRange(0, 4 * words).slice(0);
    readback.unmap();
    this.#device.staging.release(readback);
    return data;
  }

  destroy(): void {
    this.#program.destroy();
    for (const { buffer } of Object.values(this.#operands)) this.#device.destroyBuffer(buffer);
  }
}

async function runOnce(
  device: GpuDevice,
  pass: DispatchPass,
  operands: Readonly<Record<string, GpuBuffer>>,
): Promise<void> {
  const program = await DispatchProgram.create(device, [{ plan: planOf(pass), operands }]);
  await device.guard(pass.label, () => {
    const encoder = device.raw.createCommandEncoder();
    program.encode(encoder);
    device.raw.queue.submit([encoder.finish()]);
  });
  await device.raw.queue.onSubmittedWorkDone();
  program.destroy();
}

async function place(device: GpuDevice, label: string, contents: OperandContents): Promise<GpuBuffer> {
  const length = typeof contents === 'number' ? contents : contents.length;
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
  const buffer = await device.createBuffer({ label, size: Math.max(16, 4 * length), usage });
  if (typeof contents !== 'number') device.raw.queue.writeBuffer(buffer, 0, contents as BufferSource);
  return { buffer, type: 'uint32', byteOffset: 0, length };
}

function planOf(pass: DispatchPass): DispatchPlan {
  return {
    ...{ operator: 'ceiling', algorithm: pass.label, label: pass.label, passes: [pass] },
    ...{ scratch: [], tables: [], packing: [], cost: { flops: 0, bytes: 0 } },
  };
}
