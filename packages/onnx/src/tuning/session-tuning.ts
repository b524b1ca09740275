/**
 * Tuning inside a session: its plans are made with the table of its adapter, and with `tune: true` what a new shape
 * brings is measured first. In `deterministic` mode there is none of it: such sessions never make one.
 */
import { type GpuDevice, warnOfCache } from '@onegpu/core';
import { type ExecutionPlan, type ExecutionRequest, planExecution } from '../execution-plan.ts';
import type { Planner } from '../extension.ts';
import type { ProgressListener } from '../load-progress.ts';
import { hasUntuned } from './tune-layers.ts';
import { tunePlan } from './tune-plan.ts';
import { TUNING_WARNING } from './tune-report.ts';
import { loadTuning } from './tuning-store.ts';
import type { TuningTable } from './tuning-table.ts';

/** `true`: layers never measured on this adapter are measured. `kept`: only what was measured before is used. */
export type TuneOption = boolean | 'kept';

export class SessionTuning implements Planner {
  readonly #device: GpuDevice;
  readonly #option: Exclude<TuneOption, false>;
  readonly #onProgress: ProgressListener | undefined;
  #table: Promise<TuningTable> | undefined;
  /** One plan is tuned at a time: timings would disturb each other. */
  #tuning: Promise<unknown> = Promise.resolve();

  constructor(device: GpuDevice, option: Exclude<TuneOption, false>, onProgress?: ProgressListener) {
    this.#device = device;
    this.#option = option;
    this.#onProgress = onProgress;
  }

  /** @throws GpuKernelShapeError, GpuDeviceLostError */
  async plan(request: ExecutionRequest): Promise<ExecutionPlan> {
    this.#table ??= this.#load();
    const table = await this.#table;
    const planned = planExecution({ ...request, tuning: table });
    if (this.#option === 'kept' || !hasUntuned(planned, table)) return planned;
    const tuned = this.#tuning.then(() => this.#tune(planned, table));
    this.#tuning = tuned.catch(() => {});
    await tuned;
    return planExecution({ ...request, tuning: table });
  }

  async #load(): Promise<TuningTable> {
    const { table, warning } = await loadTuning(this.#device.capabilities);
    if (warning !== undefined) warnOfCache(TUNING_WARNING, warning);
    return table;
  }

  async #tune(execution: ExecutionPlan, table: TuningTable): Promise<void> {
    const { warning } = await tunePlan(
      this.#device,
      { execution, table },
      { onProgress: ({ done, total }) => this.#onProgress?.({ stage: 'tune', done, total }) },
    );
    if (warning !== undefined) warnOfCache(TUNING_WARNING, warning);
  }
}
