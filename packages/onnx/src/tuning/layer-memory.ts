/**
 * Memory of one layer's operands while its choices are timed: activations hold noise between -1 and 1 (zeros and
 * denormals would be timed wrongly where the hardware treats them apart), constants are the model's own, in each
 * arrangement that a choice asks for once.
 */
import {
  alignUp,
  type DispatchPlan,
  elementBytes,
  type GpuBuffer,
  type GpuDevice,
  type GpuElementType,
  numberToHalf,
  writeBytes,
} from '@onegpu/core';
import type { ExecutionStep } from '../execution-plan.ts';
import { checkSize } from '../size-limits.ts';
import type { StoredConstant, StoredTensor } from '../stored-tensors.ts';

type Operands = Readonly<Record<string, GpuBuffer>>;

/** A prime, so that no row of a tile looks like the next. */
const NOISE_ELEMENTS = 1_048_573;

export class LayerMemory {
  readonly #device: GpuDevice;
  readonly #step: ExecutionStep;
  readonly #ranges = new Map<string, GpuBuffer>();
  /** The largest scratch so far by operand. */
  readonly #largest = new Map<string, GpuBuffer>();

  constructor(device: GpuDevice, step: ExecutionStep) {
    this.#device = device;
    this.#step = step;
  }

  /**
   * Every operand of one choice's plan but tables; each scratch in a buffer of its own, since a dispatch may read one and
   * write another; the choices take turns in it. @throws GpuOutOfMemoryError, GpuLimitError
   */
  async operands(plan: DispatchPlan): Promise<Operands> {
    const operands: Record<string, GpuBuffer> = {};
    for (const [operand, stored] of Object.entries(this.#step.operands)) {
      if ('tensor' in stored) {
        operands[operand] = await this.#noise(stored.tensor);
      } else {
        const packing = plan.packing.find((entry) => entry.operand === operand);
        operands[operand] = await this.#constant(stored.constant.arranged(packing));
      }
    }
    for (const { operand, bytes } of plan.scratch) {
      operands[operand] = await this.#scratch(operand, Math.ceil(bytes / 4));
    }
    return operands;
  }

  destroy(): void {
    for (const { buffer } of this.#ranges.values()) this.#device.destroyBuffer(buffer);
    this.#ranges.clear();
  }

  async #noise({ id, type, elements }: StoredTensor): Promise<GpuBuffer> {
    const known = this.#ranges.get(`tensor ${id}`);
    if (known !== undefined) return known;
    const range = await this.#place(`tensor ${id}`, type, elements);
    const noise = noiseOf(type);
    for (let begin = 0; begin < elements; begin += noise.length) {
      const part = noise.subarray(0, Math.min(noise.length, elements - begin));
      // Whole words: the prime number of elements is odd, so halves overlap by one.
      const byteOffset = Math.floor((begin * elementBytes(type)) / 4) * 4;
      writeBytes(this.#device.raw.queue, { buffer: range.buffer, byteOffset }, part);
    }
    return range;
  }

  async #scratch(operand: string, length: number): Promise<GpuBuffer> {
    const known = this.#largest.get(operand);
    if (known !== undefined && known.length >= length) return known;
    const range = await this.#place(`scratch ${operand} ${length}`, 'float32', length);
    this.#largest.set(operand, range);
    return range;
  }

  async #constant(constant: StoredConstant): Promise<GpuBuffer> {
    const name = `constant ${constant.key}`;
    const known = this.#ranges.get(name);
    if (known !== undefined) return known;
    const data = constant.data();
    const range = await this.#place(name, constant.type, data.byteLength / elementBytes(constant.type));
    writeBytes(this.#device.raw.queue, { buffer: range.buffer, byteOffset: 0 }, data);
    return range;
  }

  async #place(label: string, type: GpuElementType, length: number): Promise<GpuBuffer> {
    // Bindings end on a multiple of 16 bytes.
    const size = Math.max(16, alignUp(length * elementBytes(type), 16));
    checkSize(label, size, this.#device.capabilities.limits);
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;
    const buffer = await this.#device.createBuffer({ label, size, usage });
    const range: GpuBuffer = { buffer, type, byteOffset: 0, length };
    this.#ranges.set(label, range);
    return range;
  }
}

const noises = new Map<GpuElementType, Float32Array | Uint16Array>();

function noiseOf(type: GpuElementType): Float32Array | Uint16Array {
  const known = noises.get(type);
  if (known !== undefined) return known;
  const floats = floatNoise();
  const noise = type === 'float16' ? Uint16Array.from(floats, numberToHalf) : floats;
  noises.set(type, noise);
  return noise;
}

/** A linear congruential sequence, https://en.wikipedia.org/wiki/Linear_congruential_generator. */
function floatNoise(): Float32Array {
  let state = 1;
  return new Float32Array(NOISE_ELEMENTS).map(() => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}
