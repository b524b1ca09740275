/**
 * The runs behind a profile, unprofiled and profiled ones in turn, so that both see the same clocks and
 * temperatures. An unprofiled run is encoded as `run` does, in one compute pass, with a timestamp at the begin and
 * at the end of that pass alone; a profiled run has a pass and two timestamps a dispatch.
 */
import { type GpuDevice, type PassTime, TimestampRecorder } from '@onegpu/core';
import type { Feeds } from './feeds.ts';
import type { GraphValue } from './graph.ts';
import type { PreparedPlan } from './prepared-plan.ts';
import type { HostTimes } from './profile-report.ts';
import { copyOutputs, mapReadback, type SubmittedRun, submitRun, type Timing, takeMapped } from './run.ts';

export interface TimedPlan {
  readonly plan: PreparedPlan;
  readonly feeds: Feeds;
  readonly outputs: readonly GraphValue[];
}

export interface TimedRun {
  readonly host: HostTimes;
  readonly wallMs: number;
  /** One entry a compute pass; empty without timestamps. */
  readonly passes: readonly PassTime[];
}

export interface TimedRuns {
  readonly unprofiled: readonly TimedRun[];
  /** Empty without timestamps. */
  readonly profiled: readonly TimedRun[];
}

export interface RunCount {
  /** Of each kind, 1 or more; one of each before them clears fresh buffers and fills caches. */
  readonly runs: number;
  readonly onRun: (done: number, total: number) => void;
}

export async function timeRuns(
  device: GpuDevice,
  request: TimedPlan,
  { runs, onRun }: RunCount,
): Promise<TimedRuns> {
  const dispatches = request.plan.program.passes.length;
  const recorders =
    device.capabilities.timestamps && dispatches > 0
      ? {
          whole: await TimestampRecorder.create(device, 1),
          each: await TimestampRecorder.create(device, dispatches),
        }
      : undefined;
  const total = recorders === undefined ? runs : runs * 2;
  const unprofiled: TimedRun[] = [];
  const profiled: TimedRun[] = [];
  const run = async (timing: Omit<Timing, 'readback'> | undefined, into: TimedRun[]): Promise<void> => {
    into.push(await timeRun(device, request, timing));
    onRun(unprofiled.length + profiled.length, total);
  };
  try {
    await timeRun(device, request);
    if (recorders !== undefined) await timeRun(device, request, { of: 'dispatch', recorder: recorders.each });
    for (let count = 0; count < runs; count++) {
      await run(recorders && { of: 'run', recorder: recorders.whole }, unprofiled);
      if (recorders !== undefined) await run({ of: 'dispatch', recorder: recorders.each }, profiled);
    }
    return { unprofiled, profiled };
  } finally {
    recorders?.whole.destroy();
    recorders?.each.destroy();
  }
}

async function timeRun(
  device: GpuDevice,
  request: TimedPlan,
  timed?: Omit<Timing, 'readback'>,
): Promise<TimedRun> {
  const timing = timed && { ...timed, readback: await device.staging.acquire(timed.recorder.bytes) };
  const start = performance.now();
  const submitted = await submitTimed(device, request, timing);
  await mapReadback(device, submitted.readback, submitted.bytes);
  const mapped = performance.now();
  copyOutputs(device, submitted, request.outputs);
  const end = performance.now();
  const { submittedAt, ...host } = submitted.host;
  return {
    host: { ...host, waitMs: mapped - submittedAt, downloadMs: end - mapped },
    wallMs: end - start,
    passes: timing === undefined ? [] : await readTimestamps(device, timing),
  };
}

async function submitTimed(
  device: GpuDevice,
  { plan, feeds }: TimedPlan,
  timing: Timing | undefined,
): Promise<SubmittedRun> {
  try {
    return await submitRun(device, plan, feeds, timing);
  } catch (error) {
    if (timing !== undefined) device.staging.release(timing.readback);
    throw error;
  }
}

async function readTimestamps(device: GpuDevice, { recorder, readback }: Timing): Promise<PassTime[]> {
  await mapReadback(device, readback, recorder.bytes);
  return recorder.decode(takeMapped(device, readback, recorder.bytes));
}
