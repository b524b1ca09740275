/** What tuning a model found, as plain data that survives JSON; docs/tuning.md documents it. Times are microseconds. */
import type { TimeSource } from '@onegpu/core';
import type { LayerChoice, Layout } from '@onegpu/kernels';
import type { InputDims } from '../feeds.ts';
import type { TunedLayer, TunedLayers } from './tune-layers.ts';
import type { TuningTable } from './tuning-table.ts';

export const TUNE_REPORT_SCHEMA = 'onegpu-tune/1' as const;

/** One way to run a layer. */
export interface TuneReportKernel extends LayerChoice {
  /** As in profiles, `conv/implicit-gemm/f32/64x64x16/8x4/bias+relu`. */
  readonly label: string;
  /** Of one run; absent where it is unmeasured. */
  readonly us?: number;
}

export interface TuneReportLayer {
  /** The model's nodes that are this layer, those fused into it among them. */
  readonly nodes: readonly string[];
  readonly operator: string;
  /** Dims of the output. */
  readonly shape: readonly number[];
  readonly layout: Layout;
  /** Steps of the plan that are this layer. */
  readonly count: number;
  readonly state: TunedLayer['state'];
  /** Choices timed now. */
  readonly tried: number;
  /** What the rules choose. */
  readonly rule: TuneReportKernel;
  /** What runs from now on; equal to `rule` where nothing is quicker by 3 %. */
  readonly tuned: TuneReportKernel;
  readonly notes: readonly string[];
}

export interface TuneReport {
  readonly schema: typeof TUNE_REPORT_SCHEMA;
  readonly adapter: string;
  readonly inputs: InputDims;
  readonly timeSource: TimeSource;
  /** Distinct layers in the order they first run. */
  readonly layers: readonly TuneReportLayer[];
  /** Sums over measured and kept layers, each times its count. */
  readonly totals: {
    /** Steps of the plan that can be tuned, measured or not. */
    readonly steps: number;
    readonly ruleUs: number;
    readonly tunedUs: number;
  };
  readonly seconds: number;
  /** Where the choices are kept; absent where there is no cache. */
  readonly place?: string;
  /** A document that was passed over, or could not be written. */
  readonly warnings: readonly string[];
}

export interface TuneFacts extends Pick<TuneReport, 'adapter' | 'inputs' | 'seconds' | 'warnings'> {
  readonly place: string | undefined;
}

export function tuneReport(
  { layers, timeSource }: TunedLayers,
  table: TuningTable,
  { place, ...facts }: TuneFacts,
): TuneReport {
  const rows = layers.map((layer) => reportLayer(layer, table));
  const sum = (value: (row: TuneReportLayer) => number): number =>
    rows.reduce((total, row) => total + value(row), 0);
  return {
    schema: TUNE_REPORT_SCHEMA,
    ...facts,
    timeSource,
    layers: rows,
    totals: {
      steps: sum(({ count }) => count),
      ruleUs: sum(({ count, rule: { us = 0 } }) => count * us),
      tunedUs: sum(({ count, tuned: { us = 0 } }) => count * us),
    },
    ...(place === undefined ? {} : { place }),
  };
}

function reportLayer({ steps, layer, state, tried, notes }: TunedLayer, table: TuningTable): TuneReportLayer {
  const [step] = steps;
  const [ruleChoice] = layer.choices();
  if (step === undefined || ruleChoice === undefined)
    throw new RangeError('a layer without steps or choices');
  const entry = table.entry(layer);
  const kernel = ({ algorithm, configuration }: LayerChoice, us: number | undefined): TuneReportKernel => {
    const choice: LayerChoice = configuration === undefined ? { algorithm } : { algorithm, configuration };
    return { ...choice, label: layer.plan(choice).label, ...(us === undefined ? {} : { us }) };
  };
  return {
    nodes: steps.flatMap(({ covers }) => covers),
    ...{ operator: step.plan.operator, shape: step.dims, layout: step.layout },
    ...{ count: steps.length, state, tried, notes },
    rule: kernel(ruleChoice, entry?.ruleUs),
    tuned: kernel(entry ?? ruleChoice, entry?.us),
  };
}
