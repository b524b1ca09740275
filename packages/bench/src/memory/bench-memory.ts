/**
 * Peak GPU memory of each runner: a process a runner and model, so that none sees another's memory. Where NVIDIA's
 * driver can be asked, its figure counts, less that of a process that only opened a device; our own count of buffers
 * stands beside it. Elsewhere there is our own count alone, and none of the peers.
 */
import type { AdapterChoice } from '@onegpu/core';
import type { NumericMode } from '@onegpu/kernels';
import type { BenchEnvironment } from '../environment.ts';
import { type BenchModel, resolveModel } from '../model-source.ts';
import type { PeerName, RunnerName } from '../runner.ts';
import { type DriverPeaks, DriverWatch, hasDriverMemory } from './driver-memory.ts';
import type { MemoryAnswer, MemoryTask } from './memory-task.ts';
import { runChild } from './run-child.ts';

export interface MemoryOptions {
  /** Names or paths, with an optional `@HxW`; see `resolveModel`. */
  readonly models: readonly string[];
  readonly batches: readonly number[];
  readonly peers: readonly PeerName[];
  readonly adapter: AdapterChoice;
  readonly mode: NumericMode;
  /** Milliseconds a process may take; default ten minutes. */
  readonly timeoutMs?: number;
}

export interface MemoryRow {
  readonly model: string;
  readonly batch: number;
  readonly dims: readonly number[];
  readonly runner: RunnerName;
  /** The driver's peak less that of an idle process, in bytes. */
  readonly driverBytes?: number;
  /** Peak of this library's buffers, in bytes; absent for peers. */
  readonly ownBytes?: number;
  /** Why there is no figure. */
  readonly note?: string;
}

/**
 * `process`: the driver's figure for the process. `device`: that of the devices, which holds what others do there
 * meanwhile. `none`: the driver cannot be asked.
 */
export type DriverSource = 'process' | 'device' | 'none';

export interface MemoryReport {
  readonly schema: 'onegpu-memory/1';
  readonly environment: BenchEnvironment;
  readonly mode: NumericMode;
  readonly driverSource: DriverSource;
  readonly rows: readonly MemoryRow[];
}

export interface MemoryProgress {
  readonly label: string;
  readonly done: number;
  readonly total: number;
}

interface Observed {
  readonly answer: MemoryAnswer;
  readonly peaks: DriverPeaks;
}

interface Baseline {
  readonly environment: BenchEnvironment;
  readonly source: DriverSource;
  readonly peaks: DriverPeaks;
}

const TIMEOUT_MS = 600_000;
/** How long a process stays open after its work, for the driver's next readings. */
const SETTLE_MS = 700;

/** @throws Error when not even an idle process can open the adapter, InvalidInputError for an unknown model */
export async function benchMemory(
  options: MemoryOptions,
  onProgress: (progress: MemoryProgress) => void = () => undefined,
): Promise<MemoryReport> {
  const models = await Promise.all(options.models.map(resolveModel));
  const runners: readonly RunnerName[] = ['onegpu', ...options.peers];
  const total = 1 + models.length * options.batches.length * runners.length;
  onProgress({ label: 'idle process', done: 0, total });
  const baseline = await observeIdle(options);
  const rows: MemoryRow[] = [];
  for (const model of models) {
    for (const batch of options.batches) {
      for (const runner of runners) {
        onProgress({ label: `${model.label} ${runner}`, done: 1 + rows.length, total });
        rows.push(await memoryRow({ model, batch, runner, options, baseline }));
      }
    }
  }
  const { environment, source } = baseline;
  return { schema: 'onegpu-memory/1', environment, mode: options.mode, driverSource: source, rows };
}

async function observeIdle(options: MemoryOptions): Promise<Baseline> {
  const asked = options.adapter !== 'software' && (await hasDriverMemory());
  const { answer, peaks } = await observe({ runner: 'idle', adapter: options.adapter }, asked, options);
  if (answer.kind === 'failed' || answer.environment === undefined) {
    throw new Error(answer.kind === 'failed' ? answer.reason : 'the idle process told nothing');
  }
  const { environment } = answer;
  const isNvidia = !environment.softwareAdapter && /nvidia/i.test(environment.adapter);
  const source =
    !asked || !isNvidia || peaks.device === undefined
      ? 'none'
      : peaks.process === undefined
        ? 'device'
        : 'process';
  return { environment, source, peaks };
}

interface RowTask {
  readonly model: BenchModel;
  readonly batch: number;
  readonly runner: RunnerName;
  readonly options: MemoryOptions;
  readonly baseline: Baseline;
}

async function memoryRow({ model, batch, runner, options, baseline }: RowTask): Promise<MemoryRow> {
  const { source, peaks: idle } = baseline;
  const [first = 1, ...rest] = model.dims ?? [];
  const head = {
    ...{ model: model.label, batch, runner },
    dims: model.dims === undefined ? [] : [first * batch, ...rest],
  };
  if (runner === 'ort-cpu') return { ...head, note: 'runs on the CPU' };
  if (runner !== 'onegpu' && source === 'none') {
    return { ...head, note: 'nobody counts its memory on this adapter' };
  }
  const { adapter, mode } = options;
  const task = { runner, adapter, mode, path: model.path, dims: model.dims, batch };
  const { answer, peaks } = await observe(task, source !== 'none', options);
  if (answer.kind === 'failed') return { ...head, note: answer.reason };
  const driver = source === 'none' ? undefined : difference(peaks[source], idle[source]);
  return {
    ...head,
    ...(answer.dims === undefined ? {} : { dims: answer.dims }),
    ...(driver === undefined ? {} : { driverBytes: driver }),
    ...(answer.ownBytes === undefined ? {} : { ownBytes: answer.ownBytes }),
  };
}

async function observe(
  task: MemoryTask,
  askDriver: boolean,
  { timeoutMs = TIMEOUT_MS }: MemoryOptions,
): Promise<Observed> {
  if (!askDriver) {
    return { answer: await runChild(task, { timeoutMs }), peaks: { device: undefined, process: undefined } };
  }
  const watch = new DriverWatch();
  let pid: number | undefined;
  try {
    const answer = await runChild(task, {
      timeoutMs,
      beforeEnd: async (child) => {
        pid = child;
        await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      },
    });
    return { answer, peaks: watch.peaks(pid) };
  } finally {
    watch.stop();
  }
}

function difference(peak: number | undefined, idle: number | undefined): number | undefined {
  return peak === undefined || idle === undefined ? undefined : Math.max(0, peak - idle);
}
