/**
 * What one run in flight owns: a readback buffer, upload buffers for large inputs, and the commands between them. A
 * command buffer is good for one submit, so the next run's are encoded as soon as one's were submitted, while the GPU
 * works; a run then has its inputs to write and a call to make. Commands name the arenas: those from before a plan was
 * bound anew are dropped.
 */
import {
  elementBytes,
  type GpuCapabilities,
  type GpuDevice,
  rangeBytes,
  type TimestampRecorder,
} from '@onegpu/core';
import { FeedStages } from './feed-stages.ts';
import type { PreparedPlan } from './prepared-plan.ts';
import { UploadBuffers } from './upload-buffers.ts';

/** A run with timestamps, read back behind its outputs: of the run as it is, or of passes that end behind given dispatches. */
export interface Timing {
  readonly of: 'dispatch' | 'run';
  readonly ends?: readonly number[];
  readonly recorder: TimestampRecorder;
}

export interface RunCommands {
  /** One of each piece of the upload buffers. */
  readonly uploads: readonly GPUCommandBuffer[];
  /** One or more, submitted one after another. */
  readonly parts: readonly GPUCommandBuffer[];
}

/** What a slot's runs have beside their plan. */
export interface SlotRequest {
  readonly timing?: Timing | undefined;
  /** Names of the inputs that are not fed from the host, none unless given. */
  readonly gpuInputs?: readonly string[];
  /** Names of the outputs that are not read back, none unless given. */
  readonly gpuOutputs?: ReadonlySet<string>;
}

export class RunSlot {
  readonly plan: PreparedPlan;
  readonly readback: GPUBuffer;
  readonly uploads: UploadBuffers;
  readonly stages: FeedStages;
  readonly gpuOutputs: ReadonlySet<string>;
  readonly layout: ReadbackLayout;
  readonly timing: Timing | undefined;
  readonly #device: GpuDevice;
  #commands: RunCommands | undefined;
  #generation = -1;

  private constructor(
    device: GpuDevice,
    plan: PreparedPlan,
    buffers: { readonly readback: GPUBuffer; readonly uploads: UploadBuffers },
    { layout, timing, gpuInputs = [], gpuOutputs = NONE }: SlotRequest & { readonly layout: ReadbackLayout },
  ) {
    this.#device = device;
    this.plan = plan;
    this.readback = buffers.readback;
    this.uploads = buffers.uploads;
    this.layout = layout;
    this.timing = timing;
    this.stages = new FeedStages(device, gpuInputs);
    this.gpuOutputs = gpuOutputs;
  }

  /** @throws GpuLimitError, GpuOutOfMemoryError, GpuDeviceLostError */
  static async create(device: GpuDevice, plan: PreparedPlan, request: SlotRequest = {}): Promise<RunSlot> {
    const layout = readbackLayout(plan, request);
    const uploads = await UploadBuffers.create(device, plan, request.gpuInputs);
    try {
      const readback = await device.staging.acquire(layout.bytes);
      return new RunSlot(device, plan, { readback, uploads }, { ...request, layout });
    } catch (error) {
      uploads.destroy();
      throw error;
    }
  }

  /** The commands of one run over the arenas that the plan is bound to; encoded here where none are ready. */
  takeCommands(): RunCommands {
    const ready = this.#generation === this.plan.generation ? this.#commands : undefined;
    this.#commands = undefined;
    return ready ?? this.#encode();
  }

  /**
   * Encodes the next run's commands; the readback buffer may be mapped meanwhile, not when they are submitted. Where
   * WebGPU refuses them, that run encodes anew and has the error as its own.
   */
  prepareNext(): void {
    const { value, checked } = this.#device.watch('run', () => this.#encode(), ['validation']);
    this.#commands = value;
    this.#generation = this.plan.generation;
    checked.catch(() => {
      if (this.#commands === value) this.#commands = undefined;
    });
  }

  /** Frees the upload buffers and gives the readback buffer, which must not be mapped, to other runs. */
  recycle(): void {
    this.#destroyInputs();
    this.#device.staging.release(this.readback);
  }

  /** Frees the buffers, whatever state they are in. */
  destroy(): void {
    this.#destroyInputs();
    this.#device.destroyBuffer(this.readback);
  }

  #destroyInputs(): void {
    this.uploads.destroy();
    this.stages.destroy();
  }

  #encode(): RunCommands {
    return { uploads: this.uploads.encode(this.plan), parts: this.#encodeParts() };
  }

  #encodeParts(): GPUCommandBuffer[] {
    const { program } = this.plan;
    const { timing } = this;
    if (timing?.of === 'dispatch') {
      return [this.#encodeLast((encoder) => program.encodeTimed(encoder, timing.recorder, timing.ends))];
    }
    const ends = partEnds(program.passes.length, this.#device.capabilities);
    return ends.map((to, part) => {
      const isLast = part === ends.length - 1;
      const encodePart = (encoder: GPUCommandEncoder): void => {
        if (part === 0) timing?.recorder.encodeBegin(encoder);
        const timestampWrites = isLast ? timing?.recorder.writes(0) : undefined;
        program.encode(encoder, { from: ends[part - 1] ?? 0, to, timestampWrites });
      };
      if (isLast) return this.#encodeLast(encodePart);
      const encoder = this.#device.raw.createCommandEncoder();
      encodePart(encoder);
      return encoder.finish();
    });
  }

  #encodeLast(encodeProgram: (encoder: GPUCommandEncoder) => void): GPUCommandBuffer {
    const { plan, readback, layout, timing } = this;
    const encoder = this.#device.raw.createCommandEncoder();
    encodeProgram(encoder);
    for (const [name, tensor] of plan.execution.outputs) {
      const range = plan.range(tensor);
      const offset = layout.offsets.get(name);
      if (range.length > 0 && offset !== undefined) {
        encoder.copyBufferToBuffer(range.buffer, range.byteOffset, readback, offset, rangeBytes(range));
      }
    }
    timing?.recorder.encodeResolve(encoder, readback, layout.outputBytes);
    return encoder.finish();
  }
}

const NONE: ReadonlySet<string> = new Set();

/** Fewer dispatches are recorded sooner than another submit is made. */
const LEAST_DISPATCHES_SPLIT = 16;

/**
 * Where the parts end that are submitted one after another: the driver records commands while they are submitted (an
 * H200's needs 0.2 ms for ResNet-50), and the GPU works on the first third while it records the rest; of a quarter of
 * MobileNetV3 it would be done too soon.
 */
function partEnds(dispatches: number, { software }: Pick<GpuCapabilities, 'software'>): number[] {
  if (software || dispatches < LEAST_DISPATCHES_SPLIT) return [dispatches];
  return [Math.ceil(dispatches / 3), dispatches];
}

export interface ReadbackLayout {
  /** Where the bytes of each output begin that is read back. */
  readonly offsets: ReadonlyMap<string, number>;
  /** Of all outputs; the timestamps of a run that has some begin behind them. */
  readonly outputBytes: number;
  /** Of all that is read back. */
  readonly bytes: number;
}

function readbackLayout(plan: PreparedPlan, { timing, gpuOutputs = NONE }: SlotRequest): ReadbackLayout {
  let bytes = 0;
  const offsets = new Map<string, number>();
  for (const [name, tensor] of plan.execution.outputs) {
    if (gpuOutputs.has(name)) continue;
    offsets.set(name, bytes);
    bytes += Math.ceil((tensor.elements * elementBytes(tensor.type)) / 16) * 16;
  }
  return { offsets, outputBytes: bytes, bytes: bytes + (timing?.recorder.bytes ?? 0) };
}
