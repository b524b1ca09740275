/** From tuned layers to their report. */
import type { LayerChoice } from '@onegpu/kernels';
import type { TunedLayer, TunedLayers } from './tune-layers.ts';
import {
  TUNE_REPORT_SCHEMA,
  type TuneReport,
  type TuneReportKernel,
  type TuneReportLayer,
} from './tune-report.ts';
import type { TuningTable } from './tuning-table.ts';

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
