/** The per-layer times of a profile as a table that fits the terminal: 80 columns show the essentials. */
import type { ProfileReport, ProfileRow } from './runtime.ts';
import { type Column, formatTable, terminalWidth } from './table.ts';

const COLUMNS: readonly Column<ProfileRow>[] = [
  { title: '#', align: 'right', text: (row) => String(row.index), importance: 5 },
  { title: 'kernel', text: (row) => row.label, least: 24 },
  { title: 'shape', text: (row) => row.shape, least: 14, importance: 2 },
  { title: 'median ms', align: 'right', text: (row) => row.medianMs.toFixed(3) },
  { title: 'p90 ms', align: 'right', text: (row) => row.p90Ms.toFixed(3), importance: 4 },
  { title: '%', align: 'right', text: (row) => (row.share * 100).toFixed(1) },
  { title: 'GFLOP/s', align: 'right', text: (row) => rate(row.gflops), importance: 1 },
  { title: 'GB/s', align: 'right', text: (row) => rate(row.gbps), importance: 3 },
  { title: 'nodes', text: (row) => row.nodes.join(' '), least: 16, importance: 6 },
];

function rate(value: number): string {
  if (!Number.isFinite(value) || value <= 0) return '-';
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}

/** Rows in the order they run. */
export function formatProfile(report: ProfileReport, width = terminalWidth()): string {
  return formatTable(report.rows, COLUMNS, width);
}

/** Time by kind of operator, slowest first: where to look before reading the layers. */
export function formatByOperator(report: ProfileReport, width = terminalWidth()): string {
  const sums = new Map<string, { operator: string; layers: number; ms: number; share: number }>();
  for (const { operator, algorithm, medianMs, share } of report.rows) {
    const key = `${operator}/${algorithm}`;
    const sum = sums.get(key) ?? { operator: key, layers: 0, ms: 0, share: 0 };
    sums.set(key, { ...sum, layers: sum.layers + 1, ms: sum.ms + medianMs, share: sum.share + share });
  }
  const rows = [...sums.values()].sort((a, b) => b.ms - a.ms);
  return formatTable(
    rows,
    [
      { title: 'operator/algorithm', text: (row) => row.operator, least: 20 },
      { title: 'layers', align: 'right', text: (row) => String(row.layers) },
      { title: 'median ms', align: 'right', text: (row) => row.ms.toFixed(3) },
      { title: '%', align: 'right', text: (row) => (row.share * 100).toFixed(1) },
    ],
    width,
  );
}
