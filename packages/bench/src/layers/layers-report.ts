/** The layers of a network as text: a row a candidate, the quickest of a layer first, and what a better choice gives. */
import type { Refusal } from '@onegpu/kernels';
import { environmentLines } from '../report.ts';
import { type DrawTable, drawMarkdown, milliseconds, percent, type ReportColumn } from '../report-column.ts';
import type { CandidateResult, LayerResult, LayersReport, LayersSummary } from './bench-layers.ts';

interface CandidateRow {
  readonly layer: LayerResult;
  readonly candidate: CandidateResult;
  /** The layer's name stands in its first row only. */
  readonly first: boolean;
}

const COLUMNS: readonly ReportColumn<CandidateRow>[] = [
  { title: 'layer', text: ({ layer, first }) => (first ? nameOf(layer) : ''), least: 16, importance: 2 },
  { title: 'extents', text: ({ layer, first }) => (first ? extentsOf(layer) : ''), least: 18 },
  {
    title: 'n',
    align: 'right',
    text: ({ layer, first }) => (first ? String(layer.count) : ''),
    importance: 2,
  },
  { title: 'algorithm', text: ({ layer, candidate }) => algorithmText(layer, candidate), least: 14 },
  { title: 'tile', text: ({ candidate }) => tileOf(candidate), importance: 4 },
  { title: 'ms', align: 'right', text: ({ candidate }) => milliseconds(candidate.time.medianMs) },
  {
    title: 'spread',
    align: 'right',
    text: ({ candidate: { time } }) => (time.runs > 1 ? `${percent(time.spread)} %` : 'once'),
    importance: 3,
  },
  { title: 'GFLOP/s', align: 'right', text: ({ candidate }) => rate(candidate.gflops) },
  {
    title: '% ceiling',
    align: 'right',
    text: ({ candidate }) => percent(candidate.ceiling?.fraction),
    importance: 1,
  },
  { title: 'bound', text: ({ candidate }) => candidate.ceiling?.bound ?? '', importance: 5 },
  { title: '', text: ({ layer, candidate }) => markText(layer, candidate) },
];

const SUMMARY_COLUMNS: readonly ReportColumn<LayersSummary>[] = [
  { title: 'batch', align: 'right', text: ({ batch }) => String(batch) },
  { title: 'layers', align: 'right', text: ({ layers }) => String(layers) },
  { title: 'chosen ms', align: 'right', text: ({ chosenMs }) => milliseconds(chosenMs) },
  { title: 'GFLOP/s', align: 'right', text: ({ flops, chosenMs }) => rate(flops / chosenMs / 1e6) },
  { title: 'best ms', align: 'right', text: ({ bestMs }) => milliseconds(bestMs) },
  { title: 'a better choice saves', align: 'right', text: savingText },
];

export interface LayersTextOptions {
  /** List the algorithms that cannot run a layer, with the reason. */
  readonly refused?: boolean;
  readonly draw?: DrawTable;
}

export function formatLayersReport(report: LayersReport, options: LayersTextOptions = {}): string {
  const { draw = drawMarkdown } = options;
  const { environment, network, mode, timeSource, ceilings, summaries } = report;
  const batches = summaries.flatMap(({ batch }) => {
    const layers = report.layers.filter((layer) => layer.batch === batch);
    const rows = layers.flatMap((layer) =>
      layer.candidates.map((candidate, index) => ({ layer, candidate, first: index === 0 })),
    );
    const refused = options.refused === true ? ['', ...refusedLines(layers)] : [];
    return ['', `${network}, batch ${batch}`, '', draw(rows, COLUMNS), ...refused];
  });
  return [
    ...environmentLines(environment),
    `ceilings: ${rate(ceilings.f32Gflops)} GFLOP/s float32, copy ${rate(ceilings.copyGbps)} GB/s, ` +
      `dispatch ${milliseconds(ceilings.dispatchUs)} us`,
    `times by ${timeSource}, mode ${mode}; n: layers of these extents`,
    'extents: channels x side in, channels out, window, stride, groups',
    'chosen: what a session runs; x 1.5: takes 1.5 times as long as that',
    ...batches,
    '',
    draw(summaries, SUMMARY_COLUMNS),
  ].join('\n');
}

function refusedLines(layers: readonly LayerResult[]): readonly string[] {
  return layers.flatMap(({ layer, refused }) =>
    refused.map(({ algorithm, reason }: Refusal) => `${layer}, ${algorithm}: ${reason}`),
  );
}

/** Where the layer first stands in the network. */
function nameOf({ layer }: LayerResult): string {
  return layer.split('/')[1] ?? '';
}

/** `64x56-64 3x3s1`: channels and side in, channels out, window and stride. */
function extentsOf({ layer }: LayerResult): string {
  return layer.split('/').slice(2).join(' ');
}

function algorithmText(layer: LayerResult, { algorithm, layout }: CandidateResult): string {
  return layout === layer.layout ? algorithm : `${algorithm} (${layout})`;
}

/** The part of a label between the element type and the epilogue. */
function tileOf({ label }: CandidateResult): string {
  return label.split('/')[3] ?? '';
}

function markText(layer: LayerResult, candidate: CandidateResult): string {
  if (candidate.chosen) return candidate.best ? 'chosen, best' : 'chosen';
  const chosen = layer.candidates.find((entry) => entry.chosen);
  if (chosen === undefined) return candidate.best ? 'best' : '';
  const factor = candidate.time.medianMs / chosen.time.medianMs;
  return `${candidate.best ? 'best, ' : ''}x ${factor < 10 ? factor.toFixed(2) : factor.toFixed(0)}`;
}

function savingText({ chosenMs, bestMs }: LayersSummary): string {
  return `${percent(chosenMs === 0 ? 0 : 1 - bestMs / chosenMs)} %`;
}

function rate(value: number): string {
  if (!Number.isFinite(value)) return '-';
  if (value >= 1000) return Number(value.toPrecision(3)).toFixed(0);
  return value.toPrecision(3);
}
