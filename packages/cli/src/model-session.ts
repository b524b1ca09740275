/** A device and a session for the length of one command: whatever happens, both are gone afterwards. */
import { GpuDevice } from '@onegpu/core';
import type { DeviceOptions } from './options.ts';
import { withProgress } from './progress.ts';
import { createSession, type InferenceSession } from './runtime.ts';

export interface LoadedModel {
  readonly session: InferenceSession;
  readonly device: GpuDevice;
  readonly loadMs: number;
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

/** Loads a model with a progress bar, works with it, and releases it. */
export async function withModel<T>(
  model: string,
  options: DeviceOptions & { readonly shape?: ReadonlyMap<string, readonly number[]> },
  work: (loaded: LoadedModel) => Promise<T>,
): Promise<T> {
  return withDevice(options, async (device) => {
    const start = performance.now();
    const session = await withProgress((progress) =>
      createSession(model, {
        device,
        mode: options.mode,
        onProgress: (step) => progress.update(step),
        dims: Object.fromEntries(options.shape ?? []),
      }),
    );
    try {
      return await work({ session, device, loadMs: performance.now() - start });
    } finally {
      await session.release();
    }
  });
}
