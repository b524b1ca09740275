/** What a session begins with: its model, its device, and what makes its plans. */
import { GpuDevice } from '@onegpu/core';
import { planExecution } from './execution-plan.ts';
import { extensionForOption, type Planner } from './extension.ts';
import { gpuOutputNames } from './gpu-outputs.ts';
import type { ModelInput } from './model-source.ts';
import { type PreparedModel, prepareModel } from './prepare-model.ts';
import type { SessionOptions } from './session-options.ts';

/** Tuning happens in `fast` mode only. */
export function plannerFor(
  device: GpuDevice,
  { tune = false, mode = 'fast', onProgress }: SessionOptions,
): Planner {
  if (tune === false || mode !== 'fast') return { plan: planExecution };
  return extensionForOption('SessionOptions', 'tune').tuning(device, tune, onProgress);
}

/** The model is read while the device is made; a model that is refused leaves no device behind. */
export async function modelAndDevice(
  source: ModelInput,
  options: SessionOptions,
): Promise<readonly [PreparedModel, GpuDevice]> {
  const { device, adapter = 'auto' } = options;
  const preparing = prepareModel(source, options).then((model) => {
    gpuOutputNames(model.graph.outputs, options.preferredOutputLocation);
    return model;
  });
  if (device !== undefined) return [await preparing, device];
  const [model, made] = await Promise.allSettled([preparing, GpuDevice.create({ adapter })]);
  if (model.status === 'rejected') {
    if (made.status === 'fulfilled') await made.value.disposeAsync();
    throw model.reason;
  }
  if (made.status === 'rejected') throw made.reason;
  return [model.value, made.value];
}
