/**
 * Time of one dispatch plan over operands that lie on the GPU. A timing holds as many repeats, in one pass, as it
 * takes to be long against its own cost; timings go on until the budget is spent, and their median counts. A plan
 * that needs the whole budget for one run is timed once, and the figures say so.
 */
import {
  type DispatchPlan,
  DispatchProgram,
  type GpuBuffer,
  type GpuDevice,
  type GpuTimer,
} from '@onegpu/core';

import { summarizeTimings, type Timing } from '../statistics.ts';

export interface PlanTime extends Timing {
  /** Repeats in each of the `runs` timings. */
  readonly repeats: number;
}

export interface TimeBudget {
  /** Time to spend on timings, in milliseconds; one run is made however long it takes. */
  readonly budgetMs: number;
  /** Least length of a timing. */
  readonly timingMs: number;
}

/** A hardware GPU runs a layer in microseconds, a software adapter in tenths of a second. */
export const HARDWARE_BUDGET: TimeBudget = { budgetMs: 60, timingMs: 1 };
export const SOFTWARE_BUDGET: TimeBudget = { budgetMs: 400, timingMs: 20 };

const MOST_REPEATS = 64;
const MOST_TIMINGS = 25;

export interface BoundPlan {
  readonly plan: DispatchPlan;
  readonly operands: Readonly<Record<string, GpuBuffer>>;
}

/** @throws GpuShaderError, GpuLimitError, GpuOutOfMemoryError, GpuDeviceLostError */
export async function timePlan(
  device: GpuDevice,
  timer: GpuTimer,
  bound: BoundPlan,
  { budgetMs, timingMs }: TimeBudget,
): Promise<PlanTime> {
  const time = async (repeats: number, most: number): Promise<readonly number[]> => {
    const program = await DispatchProgram.create(device, Array<BoundPlan>(repeats).fill(bound));
    try {
      const samples: number[] = [];
      for (let spent = 0; samples.length < most && (spent < budgetMs || samples.length === 0); ) {
        const elapsed = await timer.time((encoder) => program.encode(encoder));
        spent += elapsed;
        samples.push(elapsed / repeats);
      }
      return samples;
    } finally {
      program.destroy();
    }
  };
  // The first of two runs touches fresh memory; where it took the budget it is the only one.
  const probes = await time(1, 2);
  const single = Math.min(...probes);
  if (probes.length === 1 || single * 2 > budgetMs) {
    return { ...summarizeTimings(probes.slice(-1)), repeats: 1 };
  }
  const repeats = Math.min(MOST_REPEATS, Math.max(1, Math.ceil(timingMs / Math.max(single, 1e-4))));
  return { ...summarizeTimings(await time(repeats, MOST_TIMINGS)), repeats };
}
