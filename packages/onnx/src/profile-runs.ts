/**
 * The runs behind a profile, unprofiled and profiled ones in turn, so that both see the same clocks and
 * temperatures. An unprofiled run is encoded as `run` does, in one compute pass or two, with a timestamp in front of
 * them and at their end alone; a profiled run has a pass for each dispatch that it times (`timed-segments.ts`).
 */
import { type GpuDevice, type PassTime, TimestampRecorder } from '@onegpu/core';
import { gpuFedInputs } from './feeds.ts';
import type { SingleFeeds } from './gpu-feed.ts';
import type { GraphValue } from './graph.ts';
import type { PreparedPlan } from './prepared-plan.ts';
import type { HostTimes } from './profile-report.ts';
import { submitRun, takeOutputs } from './run.ts';
import { resolveFetches } from './run-outputs.ts';
import { RunSlot, type Timing } from './run-slot.ts';
import { HARDWARE_RUNS, type TimedSegments, timedSegments } from './timed-segments.ts';

export interface TimedPlan {
  readonly plan: PreparedPlan;
  readonly feeds: SingleFeeds;
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
  const total = runs * (1 + turns.length);
  const unprofiled: TimedRun[] = [];
  const profiled: TimedRun[] = [];
  const told = (): void => onRun(unprofiled.length + profiled.length, total);
  const slots = new TimedSlots(device, request);
  try {
    const whole = await slots.add(timed ? { of: 'run', passes: 1 } : undefined);
    const turnSlots: RunSlot[] = [];
    for (const { ends } of turns)
      turnSlots.push(await slots.add({ of: 'dispatch', passes: ends.length, ends }));
    const timeTurn = async (slot: RunSlot, turn: number): Promise<TimedRun> => {
      const run = await timeRun(device, slot, request);
      return { ...run, passOf: turns[turn]?.passOf ?? [] };
    };
    await warmUp(device, whole, request);
    if (turnSlots[0] !== undefined) await timeTurn(turnSlots[0], 0);
    for (let count = 0; count < runs; count++) {
      unprofiled.push(await timeRun(device, whole, request));
      told();
      for (const [turn, slot] of turnSlots.entries()) {
        profiled.push(await timeTurn(slot, turn));
        told();
      }
    }
    return { unprofiled, profiled };
  } finally {
    slots.destroy();
  }
}

/** The slots of a profile's runs, one a kind of run, so that each finds its commands encoded as `run` does. */
class TimedSlots {
  readonly #device: GpuDevice;
  readonly #plan: PreparedPlan;
  readonly #gpuInputs: readonly string[];
  readonly #slots: RunSlot[] = [];
  readonly #recorders: TimestampRecorder[] = [];

  constructor(device: GpuDevice, { plan, feeds }: TimedPlan) {
    this.#device = device;
    this.#plan = plan;
    this.#gpuInputs = gpuFedInputs(feeds);
  }

  async add(timing?: Omit<Timing, 'recorder'> & { readonly passes: number }): Promise<RunSlot> {
    const recorder = timing && (await TimestampRecorder.create(this.#device, timing.passes));
    if (recorder !== undefined) this.#recorders.push(recorder);
    const slot = await RunSlot.create(this.#device, this.#plan, {
      gpuInputs: this.#gpuInputs,
      timing: recorder && { ...timing, recorder },
    });
    this.#slots.push(slot);
    return slot;
  }

  destroy(): void {
    for (const slot of this.#slots) slot.destroy();
    for (const recorder of this.#recorders) recorder.destroy();
  }
}

/** One run, which clears fresh buffers and fills caches; on hardware as many as wake an idle GPU's clocks. */
async function warmUp(device: GpuDevice, slot: RunSlot, request: TimedPlan): Promise<void> {
  const begin = performance.now();
  do await timeRun(device, slot, request);
  while (!device.capabilities.software && performance.now() - begin < WARM_UP_MS);
}

async function timeRun(device: GpuDevice, slot: RunSlot, { feeds, outputs }: TimedPlan): Promise<TimedRun> {
  const targets = resolveFetches(outputs, undefined);
  const start = performance.now();
  const run = await submitRun(device, slot, { feeds, targets });
  await run.mapped;
  const mapped = performance.now();
  const passes = readTimestamps(slot);
  const read = performance.now();
  takeOutputs(run);
  const end = performance.now();
  const { submittedAt, ...host } = run.host;
  return {
    host: { ...host, waitMs: mapped - submittedAt - host.encodeMs, downloadMs: end - read },
    wallMs: end - start - (read - mapped),
    passes,
  };
}

function readTimestamps({ timing, readback, layout }: RunSlot): PassTime[] {
  if (timing === undefined) return [];
  const { recorder } = timing;
  return recorder.decode(readback.getMappedRange(layout.outputBytes, recorder.bytes).slice(0));
}
