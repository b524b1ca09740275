/**
 * Tunes the layers of one execution plan: each distinct one that the table does not hold is timed in every way worth
 * trying, the most work first, until time runs out. What was measured goes into the table.
 */
import {
  type DispatchPass,
  type GpuDevice,
  GpuDeviceLostError,
  GpuTimer,
  OneGpuError,
  type TimeSource,
} from '@onegpu/core';
import type { ExecutionPlan, ExecutionStep } from '../execution-plan.ts';
import type { ExecutionLayer } from './execution-layer.ts';
import { timeChoices } from './time-choices.ts';
import { estimateMs, type TuneSettings, tuneSettings } from './tune-settings.ts';
import type { TuningTable } from './tuning-table.ts';

export interface TuneProgress {
  readonly done: number;
  /** Layers to be timed. */
  readonly total: number;
  /** Estimated when tuning began. */
  readonly estimatedMs: number;
}

/** One distinct layer of a plan. */
export interface TunedLayer {
  /** Every step that is this layer. */
  readonly steps: readonly ExecutionStep[];
  readonly layer: ExecutionLayer;
  /** `kept`: measured before. `unmeasured`: time ran out or the GPU refused; the rules decide. */
  readonly state: 'measured' | 'kept' | 'unmeasured';
  /** Choices timed now; 0 unless `measured`. */
  readonly tried: number;
  /** Why it is unmeasured, or choices that failed. */
  readonly notes: readonly string[];
}

export interface TuneLayersOptions {
  /** Measure also what the table holds. */
  readonly refresh?: boolean | undefined;
  /** Measure also what a kernel that lost has changed for; to find out takes as long as planning all choices. */
  readonly thorough?: boolean | undefined;
  /** Most milliseconds in all; by default after the kind of adapter. */
  readonly limitMs?: number | undefined;
  readonly onProgress?: ((progress: TuneProgress) => void) | undefined;
  /** Called with the layer after each one that was measured. */
  readonly onMeasured?: ((key: string) => Promise<void>) | undefined;
}

export interface TunedLayers {
  readonly layers: readonly TunedLayer[];
  readonly timeSource: TimeSource;
}

/** A distinct layer and every step that is one. */
export interface LayerGroup {
  readonly layer: ExecutionLayer;
  readonly steps: ExecutionStep[];
}

/** @throws GpuDeviceLostError */
export async function tuneLayers(
  device: GpuDevice,
  { execution, table }: { readonly execution: ExecutionPlan; readonly table: TuningTable },
  options: TuneLayersOptions = {},
): Promise<TunedLayers> {
  const { refresh = false, thorough = false, onProgress = () => {}, onMeasured = async () => {} } = options;
  const settings = limited(tuneSettings(device.capabilities), options.limitMs);
  const groups = distinctLayers(execution);
  const open = groups.filter(
    ({ layer }) => refresh || !(thorough ? table.isCurrent(layer) : table.entry(layer)),
  );
  const facts = open.map(({ layer, steps }) => ({ flops: workOf(steps), choices: layer.choices().length }));
  const estimatedMs = estimateMs(facts, device.capabilities);
  const results = new Map<LayerGroup, Pick<TunedLayer, 'state' | 'tried' | 'notes'>>();
  const timer = await GpuTimer.create(device);
  const compiled = device.pipelines.mark();
  const begin = performance.now();
  try {
    for (const [done, group] of [...open].sort(byWork).entries()) {
      onProgress({ done, total: open.length, estimatedMs });
      const left = begin + settings.totalMs - performance.now();
      const result =
        left <= 0
          ? unmeasured('time ran out')
          : await tuneLayer({ device, timer, settings }, group, { table, left });
      results.set(group, result);
      if (result.state === 'measured') await onMeasured(group.layer.key);
    }
    if (open.length > 0) onProgress({ done: open.length, total: open.length, estimatedMs });
  } finally {
    timer.destroy();
    device.pipelines.forgetSince(compiled, passesThatRun(groups, table));
  }
  return {
    layers: groups.map((group) => ({
      ...group,
      ...(results.get(group) ?? ({ state: 'kept', tried: 0, notes: [] } as const)),
    })),
    timeSource: timer.source,
  };
}

/** Whether some layer of the plan was never measured on this adapter. */
export function hasUntuned(execution: ExecutionPlan, table: TuningTable): boolean {
  return distinctLayers(execution).some(({ layer }) => table.entry(layer) === undefined);
}

async function tuneLayer(
  bench: Parameters<typeof timeChoices>[0],
  { layer, steps }: LayerGroup,
  { table, left }: { readonly table: TuningTable; readonly left: number },
): Promise<Pick<TunedLayer, 'state' | 'tried' | 'notes'>> {
  const [step] = steps;
  if (step === undefined) return unmeasured('no step');
  try {
    const until = performance.now() + Math.min(left, bench.settings.layerMs);
    const times = await timeChoices(bench, { step, layer, until });
    if (times === undefined) return unmeasured('time ran out');
    const { rule, best, tried, failed } = times;
    table.set(layer, { ...best.choice, us: best.us, ruleUs: rule.us });
    const notes = failed.map(({ algorithm, reason }) => `${algorithm} failed: ${reason}`);
    return { state: 'measured', tried, notes };
  } catch (error) {
    if (!(error instanceof OneGpuError) || error instanceof GpuDeviceLostError) throw error;
    return unmeasured(error.message);
  }
}

/** Of the choices that won, and of the rules' where nothing was measured; the losers' pipelines are of no more use. */
function passesThatRun(groups: readonly LayerGroup[], table: TuningTable): readonly DispatchPass[] {
  return groups.flatMap(({ layer }) => {
    const choice = table.entry(layer) ?? layer.choices()[0];
    return choice === undefined ? [] : layer.plan(choice).passes;
  });
}

function unmeasured(reason: string): Pick<TunedLayer, 'state' | 'tried' | 'notes'> {
  return { state: 'unmeasured', tried: 0, notes: [reason] };
}

/** Layers with more than one way to run, in the order of the plan; steps without work are none. */
export function distinctLayers({ steps }: ExecutionPlan): readonly LayerGroup[] {
  const groups = new Map<string, LayerGroup>();
  for (const step of steps) {
    const { layer, plan } = step;
    if (layer === undefined || plan.passes.length === 0 || layer.choices().length < 2) continue;
    const { key } = layer;
    const group = groups.get(key) ?? { layer, steps: [] };
    group.steps.push(step);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** The most arithmetic first. */
export function byWork(a: LayerGroup, b: LayerGroup): number {
  return workOf(b.steps) - workOf(a.steps);
}

function workOf(steps: readonly ExecutionStep[]): number {
  return steps.reduce((sum, { plan }) => sum + plan.cost.flops, 0);
}

function limited(settings: TuneSettings, limitMs: number | undefined): TuneSettings {
  return limitMs === undefined ? settings : { ...settings, totalMs: limitMs };
}
