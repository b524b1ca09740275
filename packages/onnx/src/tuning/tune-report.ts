/** What tuning a model found, as plain data that survives JSON; docs/tuning.md documents it. Times are microseconds. */
import type { TimeSource } from '@onegpu/core';
import type { Layout } from '@onegpu/kernels';
import type { InputDims } from '../feeds.ts';
import type { TunedLayer, TunedLayers } from './tune-layers.ts';
import type { TuningTable } from './tuning-table.ts';

export const TUNE_REPORT_SCHEMA = 'onegpu-tune/1' as const;

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
  /** Label of what the rules choose. */
  readonly rule: string;
  /** Label of what runs from now on; `rule` where nothing is quicker by 3 %. */
  readonly tuned: string;
  /** Times of one run; absent where it is unmeasured. */
  readonly ruleUs?: number;
  readonly tunedUs?: number;
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
      ruleUs: sum(({ count, ruleUs = 0 }) => count * ruleUs),
      tunedUs: sum(({ count, tunedUs = 0 }) => count * tunedUs),
    },
    ...(place === undefined ? {} : { place }),
  };
}

function reportLayer({ steps, layer, state, tried, notes }: TunedLayer, table: TuningTable): TuneReportLayer {
  const [step] = steps;
  const [ruleChoice] = layer.choices();
  if (step === undefined || ruleChoice === undefined)
    throw new RangeError('a layer without steps or choices');
  const rule = layer.plan(ruleChoice).label;
  const entry = table.entry(layer);
  return {
    nodes: steps.flatMap(({ covers }) => covers),
    ...{ operator: step.plan.operator, shape: step.dims, layout: step.layout },
    ...{ count: steps.length, state, tried, rule, notes },
    tuned: entry === undefined ? rule : layer.plan(entry).label,
    ...(entry === undefined ? {} : { ruleUs: entry.ruleUs, tunedUs: entry.us }),
  };
}
