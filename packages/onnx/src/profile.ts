/**
 * Where the time of a run goes, layer by layer: GPU timestamps around every dispatch, one compute pass each, and
 * the parts of a run on the host. Unprofiled runs, made beside them, say what the passes themselves cost.
 */
import { describeAdapter, type GpuDevice, type PassTime, TimestampRecorder } from '@onegpu/core';
import type { NumericMode } from '@onegpu/kernels';
import type { ExecutionStep } from './execution-plan.ts';
import type { Feeds } from './feeds.ts';
import type { GraphValue } from './graph.ts';
import type { PreparedPlan } from './prepared-plan.ts';
import { presentFields } from './present-fields.ts';
import { type HostTimes, PROFILE_SCHEMA, type ProfileReport, type ProfileRow } from './profile-report.ts';
import { readBack, readOutputs, submitRun, type Timing } from './run.ts';
import { median, quantile, trimmed } from './statistics.ts';

export interface ProfileOptions {
  /** Profiled runs; as many unprofiled ones are timed beside them. Default 5. */
  readonly runs?: number;
}

interface ProfileRequest {
  readonly plan: PreparedPlan;
  readonly mode: NumericMode;
  readonly feeds: Feeds;
  readonly outputs: readonly GraphValue[];
}

interface Sample {
  readonly passes: readonly PassTime[];
  readonly wallMs: number;
}

export async function profilePlan(
  device: GpuDevice,
  request: ProfileRequest,
  options: ProfileOptions,
): Promise<ProfileReport> {
  const runs = Math.max(1, Math.floor(options.runs ?? 5));
  const { plan } = request;
  const hosts: HostTimes[] = [];
  const walls: number[] = [];
  await timeRun(device, request); // The first run clears fresh buffers and fills caches.
  for (let run = 0; run < runs; run++) {
    const { host, wallMs } = await timeRun(device, request);
    hosts.push(host);
    walls.push(wallMs);
  }
  const samples = device.capabilities.timestamps ? await profiledRuns(device, request, runs) : [];
  const rows = makeRows(plan, samples);
  const spans = samples.map(({ passes }) => ((passes.at(-1)?.end ?? 0) - (passes[0]?.begin ?? 0)) / 1e6);
  const timed = samples.length > 0;
  return {
    schema: PROFILE_SCHEMA,
    adapter: describeAdapter(device.capabilities),
    mode: request.mode,
    inputs: Object.fromEntries(Object.entries(request.feeds).map(([name, feed]) => [name, feed.dims])),
    runs,
    rows,
    totals: presentFields({
      gpuMs: timed ? rows.reduce((sum, row) => sum + (row.medianMs ?? 0), 0) : undefined,
      spanMs: timed ? median(trimmed(spans)) : undefined,
      wallMs: median(trimmed(walls)),
      profiledWallMs: timed ? median(trimmed(samples.map((sample) => sample.wallMs))) : median(walls),
      flops: rows.reduce((sum, row) => sum + row.flops, 0),
      bytes: rows.reduce((sum, row) => sum + row.bytes, 0),
    }),
    host: medianHost(hosts),
    memory: {
      arenaBytes: plan.memory.arenaBytes.reduce((sum, bytes) => sum + bytes, 0),
      peakBytes: plan.memory.peakBytes,
      lowerBoundBytes: plan.memory.lowerBoundBytes,
      weightBytes: 0,
      arenas: plan.memory.arenaBytes.map((bytes) => ({ bytes })),
      tensors: [],
    },
    notes: makeNotes(device, timed),
  };
}

async function timeRun(
  device: GpuDevice,
  request: ProfileRequest,
): Promise<{ host: HostTimes; wallMs: number }> {
  const start = performance.now();
  const submitted = await submitRun(device, request.plan, request.feeds);
  const encoded = performance.now();
  await readOutputs(device, submitted, request.outputs);
  const end = performance.now();
  const { upload, encode, submit } = submitted.host;
  return {
    host: { uploadMs: upload, encodeMs: encode, submitMs: submit, waitMs: end - encoded, downloadMs: 0 },
    wallMs: end - start,
  };
}

async function profiledRuns(device: GpuDevice, request: ProfileRequest, runs: number): Promise<Sample[]> {
  const passes = request.plan.program.passes.length;
  if (passes === 0) return [];
  const recorder = await TimestampRecorder.create(device, passes);
  try {
    const samples: Sample[] = [];
    for (let run = 0; run < runs; run++) {
      const timing: Timing = { recorder, readback: await device.staging.acquire(recorder.bytes) };
      const start = performance.now();
      const submitted = await submitRun(device, request.plan, request.feeds, timing);
      await readOutputs(device, submitted, request.outputs);
      const wallMs = performance.now() - start;
      samples.push({
        passes: recorder.decode(await readBack(device, timing.readback, recorder.bytes)),
        wallMs,
      });
    }
    return samples;
  } finally {
    recorder.destroy();
  }
}

function makeRows(plan: PreparedPlan, samples: readonly Sample[]): ProfileRow[] {
  const stepTimes = plan.execution.steps.map((): number[] => []);
  for (const { passes } of samples) {
    const sums = plan.execution.steps.map(() => 0);
    plan.program.passes.forEach(({ dispatch }, index) => {
      const time = passes[index];
      if (time !== undefined) sums[dispatch] = (sums[dispatch] ?? 0) + (time.end - time.begin) / 1e6;
    });
    for (const [step, sum] of sums.entries()) stepTimes[step]?.push(sum);
  }
  const medians = stepTimes.map((times) => (times.length === 0 ? undefined : median(trimmed(times))));
  const total = medians.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  return plan.execution.steps.map((step, index) => {
    const medianMs = medians[index];
    const p90Ms = medianMs === undefined ? undefined : quantile(trimmed(stepTimes[index] ?? []), 0.9);
    return makeRow(step, { index, medianMs, p90Ms, total, dispatches: step.plan.passes.length });
  });
}

function makeRow(
  step: ExecutionStep,
  time: {
    index: number;
    medianMs: number | undefined;
    p90Ms: number | undefined;
    total: number;
    dispatches: number;
  },
): ProfileRow {
  const { flops, bytes } = step.plan.cost;
  const rate = (amount: number): number | undefined =>
    time.medianMs === undefined || time.medianMs === 0 ? undefined : amount / time.medianMs / 1e6;
  return presentFields({
    index: time.index,
    nodes: step.covers,
    nodeOperators: step.node === undefined ? [] : step.covers.map(() => step.node?.opType ?? ''),
    fused: [],
    operator: step.plan.operator,
    algorithm: step.plan.algorithm,
    label: step.plan.label,
    shape: step.dims,
    dispatches: time.dispatches,
    medianMs: time.medianMs,
    p90Ms: time.p90Ms,
    share: time.medianMs === undefined || time.total === 0 ? undefined : time.medianMs / time.total,
    flops,
    bytes,
    gflops: rate(flops),
    gbps: rate(bytes),
  });
}

function medianHost(hosts: readonly HostTimes[]): HostTimes {
  const of = (part: keyof HostTimes): number => median(trimmed(hosts.map((host) => host[part])));
  return {
    uploadMs: of('uploadMs'),
    encodeMs: of('encodeMs'),
    submitMs: of('submitMs'),
    waitMs: of('waitMs'),
    downloadMs: of('downloadMs'),
  };
}

function makeNotes(device: GpuDevice, timed: boolean): string[] {
  const notes: string[] = [];
  if (!device.capabilities.timestamps) {
    notes.push('This adapter offers no timestamps: times of single layers are not known, host times are.');
  }
  if (device.capabilities.software)
    notes.push('Measured on a software adapter: the times are those of a CPU.');
  if (timed) notes.push('Layers are timed with a pass a dispatch; the whole run (wallMs) is timed without.');
  return notes;
}
