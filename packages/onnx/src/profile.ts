/**
 * Where the time of a run goes, layer by layer: GPU timestamps around every dispatch, one compute pass each, and
 * the parts of a run on the host. Unprofiled runs, made beside them, say what the passes themselves cost.
 */
import { describeAdapter, type GpuDevice, type PassTime, TimestampRecorder } from '@onegpu/core';
import type { ExecutionStep } from './execution-plan.ts';
import type { Feeds } from './feeds.ts';
import type { GraphValue } from './graph.ts';
import type { PreparedPlan } from './prepared-plan.ts';
import { readBack, readOutputs, submitRun, type Timing } from './run.ts';
import { median, quantile, trimmed } from './statistics.ts';

export interface ProfileOptions {
  /** Profiled runs; as many unprofiled ones are timed beside them. Default 5. */
  readonly runs?: number;
}

export interface ProfileRow {
  readonly index: number;
  /** Names of the model's nodes the row covers; empty for a layout conversion. */
  readonly nodes: readonly string[];
  readonly operator: string;
  readonly algorithm: string;
  /** `operator/algorithm/type/tile/epilogue`. */
  readonly label: string;
  /** Dims of the first output. */
  readonly shape: readonly number[];
  readonly dispatches: number;
  /** Undefined where the adapter has no timestamps. */
  readonly medianMs: number | undefined;
  readonly p90Ms: number | undefined;
  /** Part of the sum of all rows, 0 to 1. */
  readonly share: number | undefined;
  /** Floating-point operations the problem needs; a multiply-add counts two. */
  readonly flops: number;
  /** Bytes that must move at least once. */
  readonly bytes: number;
  readonly gflops: number | undefined;
  readonly gbps: number | undefined;
}

/** Medians in milliseconds. */
export interface HostTimes {
  readonly uploadMs: number;
  readonly encodeMs: number;
  readonly submitMs: number;
  readonly waitMs: number;
}

export interface ProfileReport {
  readonly schema: 'onegpu-profile/1';
  readonly adapter: string;
  readonly inputs: Readonly<Record<string, readonly number[]>>;
  readonly runs: number;
  readonly rows: readonly ProfileRow[];
  readonly totals: {
    /** Sum of the rows' medians. */
    readonly gpuMs: number | undefined;
    /** Last end minus first begin of a profiled run, gaps included. */
    readonly spanMs: number | undefined;
    /** Wall clock of an unprofiled `run`, dense tensors in and out. */
    readonly wallMs: number;
    readonly profiledWallMs: number;
    readonly flops: number;
  };
  readonly host: HostTimes;
  readonly memory: {
    readonly arenaBytes: number;
    readonly peakBytes: number;
    readonly lowerBoundBytes: number;
  };
  /** What a reader should know about these numbers. */
  readonly notes: readonly string[];
}

interface ProfileRequest {
  readonly plan: PreparedPlan;
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
    schema: 'onegpu-profile/1',
    adapter: describeAdapter(device.capabilities),
    inputs: Object.fromEntries(Object.entries(request.feeds).map(([name, feed]) => [name, feed.dims])),
    runs,
    rows,
    totals: {
      gpuMs: timed ? rows.reduce((sum, row) => sum + (row.medianMs ?? 0), 0) : undefined,
      spanMs: timed ? median(trimmed(spans)) : undefined,
      wallMs: median(trimmed(walls)),
      profiledWallMs: timed ? median(trimmed(samples.map((sample) => sample.wallMs))) : median(walls),
      flops: rows.reduce((sum, row) => sum + row.flops, 0),
    },
    host: medianHost(hosts),
    memory: {
      arenaBytes: plan.memory.arenaBytes.reduce((sum, bytes) => sum + bytes, 0),
      peakBytes: plan.memory.peakBytes,
      lowerBoundBytes: plan.memory.lowerBoundBytes,
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
    host: { uploadMs: upload, encodeMs: encode, submitMs: submit, waitMs: end - encoded },
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
  return {
    index: time.index,
    nodes: step.covers,
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
  };
}

function medianHost(hosts: readonly HostTimes[]): HostTimes {
  const of = (part: keyof HostTimes): number => median(trimmed(hosts.map((host) => host[part])));
  return {
    uploadMs: of('uploadMs'),
    encodeMs: of('encodeMs'),
    submitMs: of('submitMs'),
    waitMs: of('waitMs'),
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
