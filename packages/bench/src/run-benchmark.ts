/**
 * Whole models against their peers, in one process and in turns: the same file, the same input, and a few runs of each
 * before the next few of any, so that a machine that slows down slows all of them. The first run (planning and
 * compiling) and the warm-up runs are apart from the ones that count. What passes until a result is there the first
 * time - device, session and first run - is one sum for each: runtimes divide it between its parts as they like.
 */
import { type AdapterChoice, GpuDevice } from '@onegpu/core';
import type { NumericMode } from '@onegpu/kernels';
import { loadModel } from '@onegpu/onnx/tools';
import { type BenchEnvironment, readEnvironment } from './environment.ts';
import { seededFeeds } from './feeds.ts';
import { type BenchModel, resolveModel } from './model-source.ts';
import { loadPeerPackage, PeerAbsentError } from './ort-runner.ts';
import {
  loadRunner,
  type PeerName,
  type Runner,
  type RunnerFeeds,
  type RunnerName,
  type RunnerOutput,
} from './runner.ts';
import { scaledError } from './scaled-error.ts';
import { summarizeTimings, type Timing } from './statistics.ts';
import { imagesPerSecond, streamThroughput } from './throughput.ts';

export interface BenchOptions {
  /** Names or paths, with an optional `@HxW`; see `resolveModel`. */
  readonly models: readonly string[];
  readonly batches: readonly number[];
  readonly peers: readonly PeerName[];
  /** Runs that count, at least 1. */
  readonly runs: number;
  /** Runs before them, at least 0, beside the first. */
  readonly warmup: number;
  readonly adapter: AdapterChoice;
  readonly mode: NumericMode;
  /** Our layers run as tuning finds them quickest. */
  readonly tune?: true;
  /** Also measure images a second: `runs` more runs of ours, as a stream. */
  readonly throughput?: true;
}

/** Called before each run: `done` of `total` runs of all models are over. */
export interface BenchProgress {
  readonly label: string;
  readonly done: number;
  readonly total: number;
}

/** One model at one batch, run by this library or a peer. */
export interface BenchRow {
  /** `model/resnet50/f32/1x3x224x224`. */
  readonly label: string;
  readonly model: string;
  readonly batch: number;
  readonly dims: readonly number[];
  readonly runner: RunnerName;
  /** Absent when the runner refused the model; `note` says why. */
  readonly timing?: Timing;
  /** Device, session and first run, in milliseconds: `loadMs` plus `firstRunMs`. */
  readonly readyMs?: number;
  readonly loadMs?: number;
  readonly firstRunMs?: number;
  /** The peer's median over ours: above 1 this library is the quicker one. Absent in our own rows. */
  readonly ratio?: number;
  /** The peer's `readyMs` over ours. */
  readonly readyRatio?: number;
  /** Scaled error of this library's outputs against the peer's. Absent in our own rows. */
  readonly difference?: number;
  /** Where asked for: ours over a stream of runs, a peer's over one run after another. */
  readonly imagesPerSecond?: number;
  readonly note?: string;
  /** The peer is not installed, or does not load. */
  readonly absent?: true;
}

export interface BenchReport {
  readonly environment: BenchEnvironment;
  readonly options: BenchOptions;
  readonly rows: readonly BenchRow[];
}

/** Runs of one runner that count, before it is another's turn. */
export const RUNS_A_TURN = 6;
/** Milliseconds of runs before them. */
export const SETTLE_MS = 250;

type Outputs = Readonly<Record<string, RunnerOutput>>;

/** A runner that has loaded the model and run it once. */
interface Contestant {
  readonly name: RunnerName;
  readonly runner: Runner;
  readonly loadMs: number;
  readonly firstRunMs: number;
  readonly outputs: Outputs;
  readonly samples: number[];
  imagesPerSecond?: number;
}

interface ModelTask {
  readonly model: BenchModel;
  readonly batch: number;
  readonly options: BenchOptions;
  readonly step: (label: string) => void;
}

/** @throws GpuUnavailableError without an adapter of the kind asked for, Error for a model that does not exist */
export async function runBenchmark(
  options: BenchOptions,
  onProgress: (progress: BenchProgress) => void = () => {},
): Promise<BenchReport> {
  const models = await Promise.all(options.models.map(resolveModel));
  const runners = 1 + options.peers.length;
  const each = runners * (1 + options.warmup + options.runs) + (options.throughput ? runners : 0);
  const total = models.length * options.batches.length * each;
  let done = 0;
  const step = (label: string): void => onProgress({ label, done: done++, total });
  // Made first: it loads Dawn, and shows the peers the software adapter.
  const device = await GpuDevice.create({ adapter: options.adapter });
  try {
    // A peer that is absent says so in its rows.
    if (options.peers.length > 0) await loadPeerPackage().catch(() => undefined);
    const rows: BenchRow[] = [];
    for (const model of models) {
      for (const batch of options.batches) {
        rows.push(...(await benchModel({ model, batch, options, step })));
      }
    }
    return { environment: await readEnvironment(device), options, rows };
  } finally {
    await device.disposeAsync();
  }
}

async function benchModel(task: ModelTask): Promise<readonly BenchRow[]> {
  const { model, batch, options } = task;
  const refused = (runner: RunnerName, dims: readonly number[], cause: unknown): BenchRow => ({
    ...rowHead(model, dims, batch),
    runner,
    note: errorNote(cause),
    ...(cause instanceof PeerAbsentError ? { absent: true } : {}),
  });
  const loaded = await loadModel(model.path).catch((cause: unknown) =>
    refused('onegpu', model.dims ?? [], cause),
  );
  if (!('graph' in loaded)) return [loaded];
  const contestants: Contestant[] = [];
  const notes: BenchRow[] = [];
  try {
    const feeds = seededFeeds(loaded.graph.inputs, { given: model.dims, batch });
    const dims = Object.values(feeds)[0]?.dims ?? [];
    for (const name of ['onegpu', ...options.peers] as const) {
      try {
        contestants.push(await enter(name, feeds, task));
      } catch (cause) {
        notes.push(refused(name, dims, cause));
      }
    }
    await takeTurns(contestants, feeds, task);
    if (options.throughput) await measureThroughput(contestants, feeds, task);
    return [...contestantRows(contestants, rowHead(model, dims, batch)), ...notes];
  } finally {
    for (const { runner } of contestants) await runner.release();
  }
}

/** Loads the model and runs it once, both timed. */
async function enter(name: RunnerName, feeds: RunnerFeeds, task: ModelTask): Promise<Contestant> {
  task.step(`${task.model.label} ${name} first run`);
  const start = performance.now();
  const runner = await loadRunner(name, task.model.path, task.options);
  const loaded = performance.now();
  try {
    const outputs = await runner.run(feeds);
    return {
      name,
      runner,
      outputs,
      loadMs: loaded - start,
      firstRunMs: performance.now() - loaded,
      samples: [],
    };
  } catch (cause) {
    await runner.release();
    throw cause;
  }
}

/**
 * Warm-up runs, then those that count; who begins changes from turn to turn. A turn begins with runs that do not count:
 * what the runner before left behind, threads that still spin among it, is no part of a user's run.
 */
async function takeTurns(
  contestants: readonly Contestant[],
  feeds: RunnerFeeds,
  { model, options, step }: ModelTask,
): Promise<void> {
  const run = async ({ name, runner }: Contestant): Promise<number> => {
    step(`${model.label} ${name}`);
    const start = performance.now();
    await runner.run(feeds);
    return performance.now() - start;
  };
  for (const contestant of contestants) {
    for (let index = 0; index < options.warmup; index++) await run(contestant);
  }
  for (let done = 0, turn = 0; done < options.runs; done += RUNS_A_TURN, turn++) {
    for (let place = 0; place < contestants.length; place++) {
      const contestant = contestants[(turn + place) % contestants.length];
      if (contestant === undefined) continue;
      if (contestants.length > 1) await settle(contestant.runner, feeds);
      for (let index = done; index < Math.min(options.runs, done + RUNS_A_TURN); index++) {
        contestant.samples.push(await run(contestant));
      }
    }
  }
}

async function settle(runner: Runner, feeds: RunnerFeeds): Promise<void> {
  const begin = performance.now();
  do await runner.run(feeds);
  while (performance.now() - begin < SETTLE_MS);
}

async function measureThroughput(
  contestants: readonly Contestant[],
  feeds: RunnerFeeds,
  { model, batch, options: { runs }, step }: ModelTask,
): Promise<void> {
  for (const contestant of contestants) {
    step(`${model.label} ${contestant.name} throughput`);
    const streamed = await streamThroughput(contestant.runner, feeds, { runs, batch });
    const { medianMs } = summarizeTimings(contestant.samples);
    contestant.imagesPerSecond = streamed ?? imagesPerSecond(batch, medianMs);
  }
}

function contestantRows(
  contestants: readonly Contestant[],
  head: Pick<BenchRow, 'label' | 'model' | 'batch' | 'dims'>,
): readonly BenchRow[] {
  const ours = contestants.find(({ name }) => name === 'onegpu');
  const medianOf = ({ samples }: Contestant): number => summarizeTimings(samples).medianMs;
  const readyOf = ({ loadMs, firstRunMs }: Contestant): number => loadMs + firstRunMs;
  return contestants.map((contestant) => {
    const { name, samples, loadMs, firstRunMs, outputs, imagesPerSecond: rate } = contestant;
    const against =
      ours === undefined || name === 'onegpu'
        ? {}
        : {
            ratio: medianOf(contestant) / medianOf(ours),
            readyRatio: readyOf(contestant) / readyOf(ours),
            difference: outputDifference(ours.outputs, outputs),
          };
    const timing = summarizeTimings(samples);
    const throughput = rate === undefined ? {} : { imagesPerSecond: rate };
    const ready = { readyMs: readyOf(contestant), loadMs, firstRunMs };
    return { ...head, runner: name, timing, ...throughput, ...ready, ...against };
  });
}

/** The largest scaled error over their outputs; infinite where we lack one or it has another size. */
export function outputDifference(ours: Outputs, theirs: Outputs): number {
  const errors = Object.entries(theirs).map(([name, { data }]) => {
    const own = ours[name]?.data;
    if (own?.length !== data.length) return Number.POSITIVE_INFINITY;
    return scaledError(Array.from(own, Number), Array.from(data, Number));
  });
  return Math.max(0, ...errors);
}

function rowHead(
  { label }: BenchModel,
  dims: readonly number[],
  batch: number,
): Pick<BenchRow, 'label' | 'model' | 'batch' | 'dims'> {
  return { label: `model/${label}/f32/${dims.join('x')}`, model: label, batch, dims };
}

function errorNote(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  return message.split('\n', 1)[0] ?? message;
}
