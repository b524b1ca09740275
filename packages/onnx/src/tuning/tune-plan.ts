/** Measures what a plan lacks and keeps it: every few seconds while it works, so that little is lost when it ends early. */
import type { GpuDevice } from '@onegpu/core';
import type { ExecutionPlan } from '../execution-plan.ts';
import { type TunedLayers, type TuneLayersOptions, tuneLayers } from './tune-layers.ts';
import { saveTuning } from './tuning-store.ts';
import type { TuningTable } from './tuning-table.ts';

const SAVE_EVERY_MS = 5_000;

export interface KeptTuning extends TunedLayers {
  /** About a document that could not be written. */
  readonly warning?: string;
}

/** @throws GpuDeviceLostError */
export async function tunePlan(
  device: GpuDevice,
  work: { readonly execution: ExecutionPlan; readonly table: TuningTable },
  options: Omit<TuneLayersOptions, 'onMeasured'> = {},
): Promise<KeptTuning> {
  const measured = new Set<string>();
  let saved = performance.now();
  const save = (): Promise<string | undefined> => saveTuning(device.capabilities, work.table, measured);
  const tuned = await tuneLayers(device, work, {
    ...options,
    onMeasured: async (key) => {
      measured.add(key);
      if (performance.now() - saved < SAVE_EVERY_MS) return;
      saved = performance.now();
      await save();
    },
  });
  const warning = measured.size === 0 ? undefined : await save();
  return warning === undefined ? tuned : { ...tuned, warning };
}
