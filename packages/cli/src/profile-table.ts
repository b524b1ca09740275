/** The per-layer times of a profile as tables that fit the terminal: 80 columns show the essentials. */
import type { ProfileReport, ProfileRow } from '@onegpu/onnx';
import { type Column, formatTable, terminalWidth } from './table.ts';

const COLUMNS: readonly Column<ProfileRow>[] = [
  { title: '#', align: 'right', text: (row) => String(row.index) },
  { title: 'kernel', text: (row) => row.label, least: 30 },
  { title: 'output', text: (row) => row.shape.join('x'), least: 14, importance: 2 },
  { title: 'ms', align: 'right', text: (row) => milliseconds(row.medianMs) },
  { title: 'p90', align: 'right', text: (row) => milliseconds(row.p90Ms), importance: 4 },
  { title: '%', align: 'right', text: (row) => percent(row.share) },
  { title: 'GFLOP/s', align: 'right', text: (row) => rate(row.gflops), importance: 1 },
  { title: 'GB/s', align: 'right', text: (row) => rate(row.gbps), importance: 3 },
  { title: 'nodes', text: (row) => row.nodes.join(' '), least: 28, importance: 6 },
];

interface OperatorSum {
  readonly name: string;
  readonly layers: number;
  readonly ms: number;
  readonly share: number;
}

const SUM_COLUMNS: readonly Column<OperatorSum>[] = [
  { title: 'operator/algorithm', text: (row) => row.name, least: 20 },
  { title: 'layers', align: 'right', text: (row) => String(row.layers) },
  { title: 'ms', align: 'right', text: (row) => milliseconds(row.ms) },
  { title: '%', align: 'right', text: (row) => percent(row.share) },
];

/** Layers in the order they run, sums by algorithm, totals and remarks. */
export function formatProfile(report: ProfileReport, width = terminalWidth()): string {
  const timed = report.totals.gpuMs !== undefined;
  return [
    formatTable(report.rows, COLUMNS, width),
    ...(timed ? ['', formatTable(sumByAlgorithm(report.rows), SUM_COLUMNS, width)] : []),
    '',
    formatTotals(report),
    ...report.notes.map((text) => `note: ${text}`),
  ].join('\n');
}

function formatTotals({ totals, host }: ProfileReport): string {
  const layers = totals.gpuMs === undefined ? '' : `layers ${milliseconds(totals.gpuMs)} ms, `;
  return (
    `${layers}whole run ${milliseconds(totals.wallMs)} ms\n` +
    `upload ${milliseconds(host.uploadMs)} ms, encode ${milliseconds(host.encodeMs)} ms, ` +
    `submit ${milliseconds(host.submitMs)} ms, wait ${milliseconds(host.waitMs)} ms`
  );
}

/** Slowest first: where to look before reading the layers. */
function sumByAlgorithm(rows: readonly ProfileRow[]): readonly OperatorSum[] {
  const sums = new Map<string, OperatorSum>();
  for (const { operator, algorithm, medianMs, share } of rows) {
    const name = `${operator}/${algorithm}`;
    const { layers, ms, share: part } = sums.get(name) ?? { layers: 0, ms: 0, share: 0 };
    sums.set(name, { name, layers: layers + 1, ms: ms + (medianMs ?? 0), share: part + (share ?? 0) });
  }
  return [...sums.values()].sort((a, b) => b.ms - a.ms);
}

function milliseconds(value: number | undefined): string {
  if (value === undefined) return '-';
  return value.toFixed(3);
}

function percent(share: number | undefined): string {
  return share === undefined ? '-' : (share * 100).toFixed(1);
}

function rate(value: number | undefined): string {
  if (value === undefined || value <= 0) return '-';
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}
