/**
 * Where the time of a run goes, layer by layer: GPU timestamps around every dispatch, one compute pass each, and
 * the parts of a run on the host. Unprofiled runs, made in turn with them, say what the passes themselves cost.
 */
import { describeAdapter, type GpuCapabilities, type GpuDevice, InvalidInputError } from '@onegpu/core';
import type { NumericMode } from '@onegpu/kernels';
import { describe } from './describe.ts';
import { fusedParts } from './fused-parts.ts';
import { GpuFeed, type SingleFeeds } from './gpu-feed.ts';
import { spanMs, timestampStepMs } from './pass-times.ts';
import type { PreparedModel } from './prepare-model.ts';
import { presentFields } from './present-fields.ts';
import { profileMemory } from './profile-memory.ts';
import {
  type HostTimes,
  PROFILE_SCHEMA,
  type ProfileReport,
  type ProfileRow,
  type ProfileTotals,
} from './profile-report.ts';
import { profileRows } from './profile-rows.ts';
import { type TimedPlan, type TimedRun, type TimedRuns, timeRuns } from './profile-runs.ts';
import { median, trimmed } from './statistics.ts';

export interface ProfileOptions {
  /** Unprofiled runs, 1 or more, and times of each layer; on hardware four profiled runs time each once. Default 5. */
  readonly runs?: number;
  /** Called after each timed run of either kind, with the number done and of all. */
  readonly onRun?: (done: number, total: number) => void;
}

export interface ProfileRequest extends TimedPlan {
  readonly model: PreparedModel;
  readonly mode: NumericMode;
}

export async function profilePlan(
  device: GpuDevice,
  request: ProfileRequest,
  options: ProfileOptions,
): Promise<ProfileReport> {
  const { runs = 5, onRun } = options;
  if (!Number.isSafeInteger(runs) || runs < 1) {
    throw new InvalidInputError('the number of runs is not one', {
      subject: 'profile',
      field: 'runs',
      got: describe(runs),
      expected: 'an integer of 1 or more',
    });
  }
  if (onRun !== undefined && onRun !== null && typeof onRun !== 'function') {
    const details = { subject: 'profile', field: 'onRun', got: describe(onRun), expected: 'a function' };
    throw new InvalidInputError('the option is none', details);
  }
  const { plan, model } = request;
  const timed = await timeRuns(device, request, { runs, onRun: onRun ?? (() => {}) });
  const timestamps = timed.profiled.map((run) => run.passes);
  const rows = profileRows({
    steps: plan.execution.steps,
    stepOfPass: plan.program.passes.map((pass) => pass.dispatch),
    runs: timed.profiled.map(({ passes, passOf = [] }) =>
      passOf.map((pass) => (pass === undefined ? undefined : passes[pass])),
    ),
    operators: model.operators,
    fusedParts: (step) => fusedParts(step, model.fusions),
  });
  const resolutionMs = timestampStepMs(timestamps);
  return presentFields({
    schema: PROFILE_SCHEMA,
    adapter: describeAdapter(device.capabilities),
    mode: request.mode,
    inputs: Object.fromEntries(Object.entries(request.feeds).map(([name, feed]) => [name, feed.dims])),
    runs,
    rows,
    totals: profileTotals(rows, timed),
    host: medianHost(timed.unprofiled),
    memory: profileMemory(plan, device.capabilities.limits.minStorageBufferOffsetAlignment),
    resolutionMs,
    notes: [...profileNotes(device.capabilities, rows), ...pictureNotes(request.feeds)],
  });
}

/** Sums of the rows, and medians over the runs of both kinds. */
export function profileTotals(
  rows: readonly ProfileRow[],
  { unprofiled, profiled }: TimedRuns,
): ProfileTotals {
  const sum = (of: (row: ProfileRow) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const wallMs = medianOf(unprofiled, (run) => run.wallMs);
  const work = { flops: sum((row) => row.flops), bytes: sum((row) => row.bytes) };
  if (profiled.length === 0) return { wallMs, profiledWallMs: wallMs, ...work };
  const profiledSpan = medianOf(profiled, (run) => spanMs(run.passes));
  const unprofiledSpan = medianOf(unprofiled, (run) => spanMs(run.passes));
  const seen = profiledSpan > 0 && unprofiledSpan > 0;
  const passesMore = (profiled[0]?.passes.length ?? 0) - (unprofiled[0]?.passes.length ?? 0);
  return presentFields({
    gpuMs: positive(sum((row) => row.medianMs ?? 0)),
    spanMs: positive(profiledSpan),
    unprofiledSpanMs: positive(unprofiledSpan),
    passMs: seen && passesMore > 0 ? (profiledSpan - unprofiledSpan) / passesMore : undefined,
    wallMs,
    profiledWallMs: medianOf(profiled, (run) => run.wallMs),
    ...work,
  });
}

/** Zero is what the timestamps could not see; it is not known. */
function positive(ms: number): number | undefined {
  return ms > 0 ? ms : undefined;
}

function medianHost(runs: readonly TimedRun[]): HostTimes {
  const of = (part: keyof HostTimes): number => medianOf(runs, (run) => run.host[part]);
  return {
    uploadMs: of('uploadMs'),
    submitMs: of('submitMs'),
    encodeMs: of('encodeMs'),
    waitMs: of('waitMs'),
    downloadMs: of('downloadMs'),
  };
}

function medianOf(runs: readonly TimedRun[], value: (run: TimedRun) => number): number {
  return median(trimmed(runs.map(value)));
}

function profileNotes(capabilities: GpuCapabilities, rows: readonly ProfileRow[]): string[] {
  const notes: string[] = [];
  if (rows.length === 0) notes.push('Nothing of this model runs on the GPU for these inputs.');
  if (!capabilities.timestamps) {
    notes.push('This adapter offers no timestamps: times of single layers are not known, host times are.');
  }
  if (capabilities.software) notes.push('Measured on a software adapter: the times are those of a CPU.');
  const tuned = rows.filter((row) => row.tunedFrom !== undefined).length;
  if (tuned > 0) {
    notes.push(
      `* tuned: ${tuned} of ${rows.length} layers run what was measured quicker than the rules' choice.`,
    );
  }
  const unresolved = rows.filter((row) => row.belowResolution).length;
  if (unresolved > 0) {
    notes.push(
      `${unresolved} of ${rows.length} layers are too short for this adapter's timestamps; sums leave them out.`,
    );
  }
  return notes;
}

/** Pictures become tensors in a command buffer of the run's own, in front of the plan's: no step, so no row. */
function pictureNotes(feeds: SingleFeeds): string[] {
  const names = Object.keys(feeds).filter((name) => feeds[name] instanceof GpuFeed);
  return names.map(
    (name) =>
      `Input "${name}" becomes a tensor on the GPU before the first row: only the wall clock has that time.`,
  );
}
