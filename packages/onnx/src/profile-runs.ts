/**
 * The runs behind a profile, unprofiled and profiled ones in turn, so that both see the same clocks and
 * temperatures. An unprofiled run is encoded as `run` does, in one compute pass, with a timestamp at the begin and
 * at the end of that pass alone; a profiled run has a pass for each dispatch that it times (`timed-segments.ts`).
 */
import { type GpuDevice, type PassTime, TimestampRecorder } from '@onegpu/core';
import type { Feeds } from './feeds.ts';
import type { GraphValue } from './graph.ts';
import type { PreparedPlan } from './prepared-plan.ts';
import type { HostTimes } from './profile-report.ts';
import { copyOutputs, mapReadback, type SubmittedRun, submitRun, type Timing, takeMapped } from './run.ts';
import { HARDWARE_RUNS, type TimedSegments, timedSegments } from './timed-segments.ts';

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
  /** The pass that holds each timed dispatch alone; absent for unprofiled runs. */
  readonly passOf?: TimedSegments['passOf'];
}

export interface TimedRuns {
  readonly unprofiled: readonly TimedRun[];
  /** Empty without timestamps; several runs may be needed to time each dispatch once. */
  readonly profiled: readonly TimedRun[];
}

export interface RunCount {
  /** Unprofiled ones, and times of each dispatch; 1 or more. Others before them fill caches and wake the GPU. */
  readonly runs: number;
  readonly onRun: (done: number, total: number) => void;
}

/** An idle GPU may run at a sixth of its clock for this long. */
const WARM_UP_MS = 250;

export async function timeRuns(
  device: GpuDevice,
  request: TimedPlan,
  { runs, onRun }: RunCount,
): Promise<TimedRuns> {
  const stepOfPass = request.plan.program.passes.map((pass) => pass.dispatch);
  const timed = device.capabilities.timestamps && stepOfPass.length > 0;
  const turns = timed ? timedSegments(stepOfPass, device.capabilities.software ? 1 : HARDWARE_RUNS) : [];
  const whole = timed ? await TimestampRecorder.create(device, 1) : undefined;
  const recorders: TimestampRecorder[] = [];
  const total = runs * (1 + turns.length);
  const unprofiled: TimedRun[] = [];
  const profiled: TimedRun[] = [];
  const told = (): void => onRun(unprofiled.length + profiled.length, total);
  try {
    for (const { ends } of turns) recorders.push(await TimestampRecorder.create(device, ends.length));
    const timeTurn = async (turn: number): Promise<TimedRun> => {
      const [segments, recorder] = [turns[turn], recorders[turn]];
      if (segments === undefined || recorder === undefined) throw new RangeError(`turn ${turn}`);
      const run = await timeRun(device, request, { of: 'dispatch', recorder, ends: segments.ends });
      return { ...run, passOf: segments.passOf };
    };
    await warmUp(device, request);
    if (turns.length > 0) await timeTurn(0);
    for (let count = 0; count < runs; count++) {
      unprofiled.push(await timeRun(device, request, whole && { of: 'run', recorder: whole }));
      told();
      for (let turn = 0; turn < turns.length; turn++) {
        profiled.push(await timeTurn(turn));
        told();
      }
    }
    return { unprofiled, profiled };
  } finally {
    whole?.destroy();
    for (const recorder of recorders) recorder.destroy();
  }
}

/** One run, which clears fresh buffers and fills caches; on hardware as many as wake an idle GPU's clocks. */
async function warmUp(device: GpuDevice, request: TimedPlan): Promise<void> {
  const begin = performance.now();
  do await timeRun(device, request);
  while (!device.capabilities.software && performance.now() - begin < WARM_UP_MS);
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
