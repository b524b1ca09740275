/**
 * Every distinct layer of a network alone, in every way it can run here: what kernels are tuned with. Inputs and
 * weights stay in the caches between repeats, so a short layer is quicker here than inside its network.
 */
import {
  type AdapterChoice,
  GpuDevice,
  GpuDeviceLostError,
  GpuTimer,
  OneGpuError,
  type TimeSource,
} from '@onegpu/core';
import type { Layout, NumericMode, Refusal } from '@onegpu/kernels';
import type { Ceilings, RowCeiling } from '@onegpu/onnx';
import { rowCeiling } from '@onegpu/onnx/tools';
import { adapterCeilings } from '../ceilings/index.ts';
import { warmUp } from '../ceilings/measure.ts';
import { type BenchEnvironment, readEnvironment } from '../environment.ts';

import { type ConvLayer, layerLabel } from '../shapes/conv-layer.ts';
import { type LayerCandidate, type LayerChoices, layerChoices } from './candidates.ts';
import { LAYER_NETWORKS, type LayerNetwork } from './networks.ts';
import { destroyOperands, placeOperands } from './operands.ts';
import { HARDWARE_BUDGET, type PlanTime, SOFTWARE_BUDGET, type TimeBudget, timePlan } from './time-plan.ts';

export interface LayersOptions {
  readonly network: LayerNetwork;
  readonly batches: readonly number[];
  /** Only layers whose label matches. */
  readonly filter?: RegExp;
  readonly adapter: AdapterChoice;
  readonly mode: NumericMode;
  /** Measure the ceilings again. */
  readonly refresh?: boolean;
  /** How long to time each candidate; by default after the kind of adapter. */
  readonly budget?: TimeBudget;
}

/** One algorithm on one layer. */
export interface CandidateResult {
  readonly algorithm: string;
  readonly layout: Layout;
  /** `conv/implicit-gemm/f32/64x64x16/bias+relu`. */
  readonly label: string;
  readonly time: PlanTime;
  readonly gflops: number;
  readonly gbps: number;
  readonly ceiling?: RowCeiling;
  /** What a session runs. */
  readonly chosen: boolean;
  /** The quickest of those in the session's layout. */
  readonly best: boolean;
}

export interface LayerResult {
  /** `resnet50/layer1.0.conv2/64x56-64/3x3s1`. */
  readonly layer: string;
  readonly batch: number;
  /** Convolutions of the network with these extents. */
  readonly count: number;
  readonly flops: number;
  readonly bytes: number;
  readonly layout: Layout;
  /** Quickest first. */
  readonly candidates: readonly CandidateResult[];
  /** Algorithms that cannot run the layer here, or failed, with the reason. */
  readonly refused: readonly Refusal[];
}

/** Sums over all layers of a batch, each times its count. */
export interface LayersSummary {
  readonly batch: number;
  readonly layers: number;
  readonly chosenMs: number;
  readonly bestMs: number;
  readonly flops: number;
}

export interface LayersReport {
  readonly schema: 'onegpu-layers/1';
  readonly environment: BenchEnvironment;
  readonly network: LayerNetwork;
  readonly mode: NumericMode;
  readonly timeSource: TimeSource;
  readonly ceilings: Ceilings;
  readonly layers: readonly LayerResult[];
  readonly summaries: readonly LayersSummary[];
}

export interface LayersProgress {
  readonly label: string;
  readonly done: number;
  readonly total: number;
}

interface Bench {
  readonly device: GpuDevice;
  readonly timer: GpuTimer;
  readonly ceilings: Ceilings;
  readonly options: LayersOptions;
}

/** Load before the first timing and before each candidate, in milliseconds: packing weights lets a GPU fall asleep. */
const FIRST_WARM_UP_MS = 250;
const WARM_UP_MS = 100;

/** @throws GpuUnavailableError without an adapter of the kind asked for; RangeError when no layer matches */
export async function benchLayers(
  options: LayersOptions,
  onProgress: (progress: LayersProgress) => void = () => undefined,
): Promise<LayersReport> {
  const { network, filter, batches, refresh = false } = options;
  const rows: readonly ConvLayer[] = LAYER_NETWORKS[network];
  const layers = rows.filter((layer) => filter?.test(layerLabel(network, layer)) !== false);
  if (layers.length === 0) throw new RangeError(`no layer of ${network} matches ${filter}`);
  const device = await GpuDevice.create({ adapter: options.adapter });
  const timer = await GpuTimer.create(device);
  try {
    const ceilings = await adapterCeilings(device, { refresh, onProgress });
    if (!device.capabilities.software) await warmUp(device, timer, FIRST_WARM_UP_MS);
    const bench: Bench = { device, timer, ceilings, options };
    const results: LayerResult[] = [];
    for (const batch of batches) {
      for (const layer of layers) {
        const total = batches.length * layers.length;
        onProgress({ label: `${network}/${layer.name}`, done: results.length, total });
        results.push(await benchLayer(bench, layer, batch));
      }
    }
    return {
      schema: 'onegpu-layers/1',
      environment: await readEnvironment(device),
      network,
      mode: options.mode,
      timeSource: timer.source,
      ceilings,
      layers: results,
      summaries: batches.map((batch) => summarize(results, batch)),
    };
  } finally {
    timer.destroy();
    await device.disposeAsync();
  }
}

async function benchLayer(bench: Bench, layer: ConvLayer, batch: number): Promise<LayerResult> {
  const { device, options } = bench;
  const choices = layerChoices(layer, { batch, mode: options.mode, target: device.capabilities });
  const refused: Refusal[] = [...choices.refused];
  const failures = await Promise.all(
    choices.candidates.map((candidate) => failureOf(() => compile(device, candidate))),
  );
  const compiled = choices.candidates.filter(({ algorithm }, index) => {
    const reason = failures[index];
    if (reason !== undefined) refused.push({ algorithm, reason });
    return reason === undefined;
  });
  const results: Omit<CandidateResult, 'best'>[] = [];
  for (const candidate of compiled) {
    const result = await failureOf(() => benchCandidate(bench, choices, candidate));
    if (typeof result === 'string') refused.push({ algorithm: candidate.algorithm, reason: result });
    else results.push(result);
  }
  results.sort((a, b) => a.time.medianMs - b.time.medianMs);
  const best = results.find(({ layout }) => layout === choices.layout);
  const cost = choices.candidates[0]?.plan.cost ?? { flops: 0, bytes: 0 };
  return {
    layer: layerLabel(options.network, layer),
    batch,
    count: layer.count,
    ...cost,
    layout: choices.layout,
    candidates: results.map((result) => ({ ...result, best: result === best })),
    refused,
  };
}

async function compile(device: GpuDevice, { plan }: LayerCandidate): Promise<void> {
  await Promise.all(plan.passes.map((pass) => device.pipelines.get(pass)));
}

async function benchCandidate(
  { device, timer, ceilings, options }: Bench,
  { dims, layout, chosen }: LayerChoices,
  candidate: LayerCandidate,
): Promise<Omit<CandidateResult, 'best'>> {
  const { plan, algorithm } = candidate;
  const budget = options.budget ?? (device.capabilities.software ? SOFTWARE_BUDGET : HARDWARE_BUDGET);
  const operands = await placeOperands(device, candidate, dims);
  try {
    if (!device.capabilities.software) await warmUp(device, timer, WARM_UP_MS);
    const time = await timePlan(device, timer, { plan, operands }, budget);
    const [gflops, gbps] = [plan.cost.flops, plan.cost.bytes].map((work) => work / time.medianMs / 1e6);
    const figures = { gflops: gflops ?? 0, gbps: gbps ?? 0 };
    const ceiling = rowCeiling({ medianMs: time.medianMs, ...figures }, ceilings);
    return {
      ...{ algorithm, layout: candidate.layout, label: plan.label, time, ...figures },
      ...(ceiling === undefined ? {} : { ceiling }),
      chosen: algorithm === chosen && candidate.layout === layout,
    };
  } finally {
    destroyOperands(device, operands);
  }
}

/** The value of `work`, or why the GPU refused it; a lost device ends everything. */
async function failureOf<T>(work: () => Promise<T>): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OneGpuError) || error instanceof GpuDeviceLostError) throw error;
    return error.message;
  }
}

function summarize(results: readonly LayerResult[], batch: number): LayersSummary {
  const layers = results.filter((result) => result.batch === batch);
  const sum = (value: (layer: LayerResult) => number): number =>
    layers.reduce((total, layer) => total + layer.count * value(layer), 0);
  const msOf = (mark: 'chosen' | 'best') => (layer: LayerResult) =>
    layer.candidates.find((candidate) => candidate[mark])?.time.medianMs ?? 0;
  return {
    batch,
    layers: layers.reduce((total, { count }) => total + count, 0),
    chosenMs: sum(msOf('chosen')),
    bestMs: sum(msOf('best')),
    flops: sum(({ flops }) => flops),
  };
}
