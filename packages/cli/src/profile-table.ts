/** The per-layer times of a profile as tables that fit the terminal: 80 columns show the essentials. */
import type { ProfileReport, ProfileRow } from '@onegpu/onnx';
import { milliseconds, percent, rate, rowTime, UNKNOWN } from './figures.ts';
import { formatTotals } from './profile-totals.ts';
import { type Column, formatTable, terminalWidth } from './table.ts';

/** Columns of a report; those that need times or ceilings only where it has them. */
function rowColumns({ totals, resolutionMs, ceilings }: ProfileReport): readonly Column<ProfileRow>[] {
  const peak: readonly Column<ProfileRow>[] = [
    { title: '% peak', align: 'right', text: (row) => percent(row.ceiling?.fraction), importance: 1 },
    { title: 'bound by', text: (row) => row.ceiling?.bound ?? UNKNOWN, importance: 5 },
  ];
  const timed: readonly Column<ProfileRow>[] = [
    { title: 'p90', align: 'right', text: (row) => milliseconds(row.p90Ms), importance: 6 },
    { title: '%', align: 'right', text: (row) => percent(row.share) },
    { title: 'GFLOP/s', align: 'right', text: (row) => rate(row.gflops), importance: 2 },
    { title: 'GB/s', align: 'right', text: (row) => rate(row.gbps), importance: 4 },
    ...(ceilings === undefined ? [] : peak),
  ];
  return [
    { title: '#', align: 'right', text: (row) => String(row.index) },
    { title: 'kernel', text: kernelText, least: 26, shorten: 'middle' },
    { title: 'output', text: (row) => row.shape.join('x'), least: 12, importance: 3 },
    { title: 'ms', align: 'right', text: (row) => rowTime(row, resolutionMs) },
    ...(totals.gpuMs === undefined ? [] : timed),
    { title: 'fused', text: (row) => row.fused.join('+'), least: 16, importance: 8 },
    { title: 'nodes', text: (row) => row.nodes.join(' '), least: 28, importance: 7 },
  ];
}

/** A star marks what tuning chose; a note says so. */
function kernelText({ label, tunedFrom }: ProfileRow): string {
  return tunedFrom === undefined ? label : `${label} *`;
}

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
    formatTable(report.rows, rowColumns(report), width),
    ...(timed ? ['', formatTable(sumByAlgorithm(report.rows), SUM_COLUMNS, width)] : []),
    '',
    formatTotals(report),
    ...report.notes.map((text) => `note: ${text}`),
  ].join('\n');
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
