/**
 * Profiles, their charts, and what the adapter can do at most. A script of its own: no result waits for it.
 */
import { measureCeilings } from '@onegpu/bench/ceilings';
import { type GpuDevice, GpuDeviceLostError } from '@onegpu/core';
import type { Ceilings, ProfileReport } from '@onegpu/onnx';
import { attachCeilings } from '@onegpu/onnx/tools';
import type { Engine } from './engine.ts';
import { ProfileView } from './profile-view.ts';
import type { Runner, RunRequest } from './runner.ts';

/** Timed runs of a profile. */
const PROFILE_RUNS = { software: 1, hardware: 5 };

export type ProfileStage = 'ceilings' | 'layers';

export type ProfileListener = (stage: ProfileStage, done: number, total: number) => void;

export class Profiler {
  readonly #engine: Engine;
  readonly #runner: Runner;
  readonly #view = new ProfileView();
  #ceilings: Ceilings | Error | undefined;

  constructor(engine: Engine, runner: Runner) {
    this.#engine = engine;
    this.#runner = runner;
  }

  /** Times every layer and shows it, set against what the adapter was measured to do at most. */
  async profile(request: RunRequest, onProgress: ProfileListener): Promise<void> {
    const device = await this.#engine.device();
    const { timestamps, software } = device.capabilities;
    if (timestamps) await this.#measureCeilings(device, onProgress);
    const image = await this.#runner.prepare(request);
    onProgress('layers', 0, 1);
    const report = await this.#engine.profile(image, {
      runs: software ? PROFILE_RUNS.software : PROFILE_RUNS.hardware,
      onRun: (done, total) => onProgress('layers', done, total),
    });
    this.#view.show(this.#withCeilings(report));
  }

  clear(): void {
    this.#view.clear();
  }

  /** Once; profiles from then on are set against it, or say why not. */
  async #measureCeilings(device: GpuDevice, onProgress: ProfileListener): Promise<void> {
    if (this.#ceilings !== undefined) return;
    onProgress('ceilings', 0, 1);
    try {
      this.#ceilings = await measureCeilings(device, ({ done, total }) =>
        onProgress('ceilings', done, total),
      );
    } catch (error) {
      if (error instanceof GpuDeviceLostError || !(error instanceof Error)) throw error;
      this.#ceilings = error;
    }
  }

  #withCeilings(report: ProfileReport): ProfileReport {
    if (this.#ceilings === undefined) return report;
    if (!(this.#ceilings instanceof Error)) return attachCeilings(report, this.#ceilings);
    const note = `What the adapter can do at most could not be measured: ${this.#ceilings.message}`;
    return { ...report, notes: [...report.notes, note] };
  }
}
