/** How long tuning may take and how sure it must be, after the kind of adapter. */
import type { GpuCapabilities } from '@onegpu/core';

export interface TuneSettings {
  /** Timings of each choice, and again of the best one against the rules' choice. */
  readonly rounds: number;
  /** Least length of a timing. */
  readonly timingMs: number;
  /** Load before the first timings of a layer: a GPU that idled while kernels compiled runs at a sixth of its clock. */
  readonly wakeMs: number;
  /** Load before turns are taken: only commands were made since. */
  readonly turnsWakeMs: number;
  /** A choice takes the place of the rules' one when its time is smaller by this fraction. */
  readonly leastGain: number;
  /** Choices that take more than so many times the quickest one are timed no further. */
  readonly hopeless: number;
  /** No further choice of a layer is begun after this time. */
  readonly layerMs: number;
  /** No further layer is begun after this time. */
  readonly totalMs: number;
}

const HARDWARE: TuneSettings = {
  ...{ rounds: 5, timingMs: 0.4, wakeMs: 250, turnsWakeMs: 30 },
  ...{ leastGain: 0.03, hopeless: 3, layerMs: 5_000, totalMs: 180_000 },
};

const SOFTWARE: TuneSettings = {
  ...{ rounds: 3, timingMs: 4, wakeMs: 0, turnsWakeMs: 0 },
  ...{ leastGain: 0.03, hopeless: 1.5, layerMs: 20_000, totalMs: 600_000 },
};

export function tuneSettings({ software }: Pick<GpuCapabilities, 'software'>): TuneSettings {
  return software ? SOFTWARE : HARDWARE;
}

/** Rough: a software adapter makes 10^9 operations a second, a GPU mostly compiles and is kept awake. */
const SOFTWARE_FLOPS_A_MS = 1e6;
const HARDWARE_LAYER_MS = 900;
const SOFTWARE_RUNS = 4;
/** Compiling a kernel. */
const SOFTWARE_CHOICE_MS = 400;

/** Milliseconds that timing these layers will take, roughly. */
export function estimateMs(
  layers: readonly { readonly flops: number; readonly choices: number }[],
  { software }: Pick<GpuCapabilities, 'software'>,
): number {
  if (!software) return layers.length * HARDWARE_LAYER_MS;
  return layers.reduce(
    (sum, { flops, choices }) =>
      sum + choices * (SOFTWARE_CHOICE_MS + (flops / SOFTWARE_FLOPS_A_MS) * SOFTWARE_RUNS),
    0,
  );
}
