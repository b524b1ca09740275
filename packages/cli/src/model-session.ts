/** A device and a session for the length of one command: whatever happens, both are gone afterwards. */
import { findModel } from '@onegpu/bench';
import { describeAdapter, GpuDevice } from '@onegpu/core';
import { InferenceSession } from '@onegpu/onnx';
import type { FeedSource } from './feeds.ts';
import type { DeviceOptions } from './options.ts';
import { note } from './output.ts';
import { type Progress, withProgress } from './progress.ts';

export interface LoadedModel extends FeedSource {
  readonly session: InferenceSession;
  /** Where the model was read from. */
  readonly path: string;
  /** Name of the adapter. */
  readonly adapter: string;
  readonly loadMs: number;
  /** When the last step of loading or compiling was reported, as `performance.now()`; a first run compiles too. */
  preparedAt(): number;
  /** The bar that the work runs under. */
  readonly progress: Progress;
  /** Writes remarks to standard error, around the progress bar. */
  announce(notes: readonly string[]): void;
}

export interface ModelOptions extends DeviceOptions {
  /** Extents that replace those the model declares. */
  readonly shape?: ReadonlyMap<string, readonly number[]>;
  /** Layers run as tuning found them quickest; what was not measured yet is measured first. */
  readonly tune?: true;
}

export async function withDevice<T>(
  options: Pick<DeviceOptions, 'adapter'>,
  work: (device: GpuDevice) => Promise<T>,
): Promise<T> {
  const device = await GpuDevice.create({ adapter: options.adapter });
  try {
    return await work(device);
  } finally {
    await device.disposeAsync();
  }
}

/** Loads a model, works with it under a progress bar, and releases it. */
export async function withModel<T>(
  model: string,
  options: ModelOptions,
  work: (loaded: LoadedModel) => Promise<T>,
): Promise<T> {
  const shape = Object.fromEntries(options.shape ?? []);
  const shapes = Object.keys(shape).length === 0 ? {} : { dims: shape };
  const { path, dims: testDims } = await findModel(model);
  return withDevice(options, (device) =>
    withProgress(async (progress) => {
      const start = performance.now();
      let preparedAt = start;
      const session = await InferenceSession.create(path, {
        device,
        mode: options.mode,
        tune: options.tune === true,
        onProgress: (step) => {
          preparedAt = performance.now();
          progress.update(step);
        },
        ...shapes,
      });
      try {
        return await work({
          ...{ session, path, testDims },
          inputs: session.inputs,
          outputs: session.outputs,
          software: device.capabilities.software,
          adapter: describeAdapter(device.capabilities),
          loadMs: performance.now() - start,
          preparedAt: () => preparedAt,
          progress,
          announce: (notes) => {
            progress.stop();
            for (const text of notes) note(text);
          },
        });
      } finally {
        await session.release();
      }
    }),
  );
}
