/** The inputs of one run in flight that are not fed from the host: tensors on the GPU are copied, pictures computed. */
import { type GpuDevice, rangeBytes } from '@onegpu/core';
import { checkDevice } from './feeds.ts';
import { type FeedStage, GpuFeed, type SingleFeeds } from './gpu-feed.ts';
import type { PreparedPlan } from './prepared-plan.ts';

export class FeedStages {
  readonly #device: GpuDevice;
  readonly #inputs: readonly string[];
  readonly #stages = new Map<string, FeedStage>();

  /** @param inputs names of those inputs */
  constructor(device: GpuDevice, inputs: readonly string[]) {
    this.#device = device;
    this.#inputs = inputs;
  }

  /** Number of those inputs. */
  get size(): number {
    return this.#inputs.length;
  }

  has(input: string): boolean {
    return this.#inputs.includes(input);
  }

  /** Whether they are these. */
  matches(inputs: readonly string[]): boolean {
    return inputs.length === this.#inputs.length && inputs.every((input) => this.has(input));
  }

  /** Makes ready what `encode` needs. @throws GpuLimitError, GpuOutOfMemoryError, GpuShaderError, GpuDeviceLostError */
  async prepare(feeds: SingleFeeds): Promise<void> {
    for (const input of this.#inputs) {
      const feed = feeds[input];
      if (!(feed instanceof GpuFeed)) continue;
      // What is kept stays ours where `stage` throws.
      this.#stages.set(input, await feed.stage(this.#device, this.#stages.get(input)));
    }
  }

  /** Reads the sources, and encodes commands that write the inputs: to be submitted in the same synchronous step. */
  encode(plan: PreparedPlan, feeds: SingleFeeds): GPUCommandBuffer[] {
    if (this.#inputs.length === 0) return [];
    const encoder = this.#device.raw.createCommandEncoder();
    for (const name of this.#inputs) {
      const feed = feeds[name];
      const input = plan.execution.inputs.get(name);
      if (feed === undefined || input === undefined) continue;
      const range = plan.range(input);
      if (!(feed instanceof GpuFeed)) {
        checkDevice(name, feed, this.#device);
        if (range.length === 0) continue;
        encoder.copyBufferToBuffer(feed.gpuBuffer, 0, range.buffer, range.byteOffset, rangeBytes(range));
        continue;
      }
      const stage = this.#stages.get(name);
      if (stage === undefined) throw new Error(`input ${name} was not prepared`);
      if (range.length > 0) feed.encode(stage, encoder, range);
    }
    return [encoder.finish()];
  }

  destroy(): void {
    for (const stage of this.#stages.values()) stage.destroy();
    this.#stages.clear();
  }
}
