/**
 * Inputs that commands on the GPU write in place of bytes from the host: pictures (`image/`). Sessions know no more of
 * them than this.
 */
import type { GpuBuffer, GpuDevice } from '@onegpu/core';
import type { Tensor, TensorType } from './tensor.ts';

/** Memory and pipelines behind an input, kept with the slot of a run and used again by the slot's next run. */
export interface FeedStage {
  destroy(): void;
}

export abstract class GpuFeed {
  abstract readonly type: TensorType;
  abstract readonly dims: readonly number[];

  /** Several feeds as one, along the first axis. @throws InvalidInputError where they do not go together */
  abstract batch(feeds: readonly unknown[]): GpuFeed;

  /** What `encode` needs: `kept`, from an earlier run of the slot, where it serves, else another in its place. */
  abstract stage(device: GpuDevice, kept: FeedStage | undefined): Promise<FeedStage>;

  /** Reads the source and encodes what writes the input. @throws InvalidInputError for a source that cannot be read any more */
  abstract encode(stage: FeedStage, encoder: GPUCommandEncoder, input: GpuBuffer): void;
}

/** Feeds of a run, batches made one. */
export type SingleFeeds = Readonly<Record<string, Tensor | GpuFeed>>;
