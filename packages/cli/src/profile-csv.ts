/**
 * The rows of a profile as CSV (RFC 4180): a header, one line a row, lines end in CR LF. Unknown figures are empty.
 * Lists are joined by `;`, extents by `x`. Columns may be added at the end, never renamed.
 */
import type { ProfileReport, ProfileRow } from '@onegpu/onnx';

type Cell = string | number | boolean | undefined;

const COLUMNS: readonly (readonly [name: string, cell: (row: ProfileRow) => Cell])[] = [
  ['index', (row) => row.index],
  ['nodes', (row) => row.nodes.join(';')],
  ['node_operators', (row) => row.nodeOperators.join(';')],
  ['fused', (row) => row.fused.join(';')],
  ['operator', (row) => row.operator],
  ['algorithm', (row) => row.algorithm],
  ['label', (row) => row.label],
  ['shape', (row) => row.shape.join('x')],
  ['dispatches', (row) => row.dispatches],
  ['begin_ms', (row) => row.beginMs],
  ['median_ms', (row) => row.medianMs],
  ['p90_ms', (row) => row.p90Ms],
  ['share', (row) => row.share],
  ['flops', (row) => row.flops],
  ['bytes', (row) => row.bytes],
  ['gflops', (row) => row.gflops],
  ['gbps', (row) => row.gbps],
  ['below_resolution', (row) => row.belowResolution === true],
  ['ceiling_fraction', (row) => row.ceiling?.fraction],
  ['ceiling_bound', (row) => row.ceiling?.bound],
  ['tuned_from', (row) => row.tunedFrom],
];

export function profileCsv({ rows }: ProfileReport): string {
  const lines = [
    COLUMNS.map(([name]) => name),
    ...rows.map((row) => COLUMNS.map(([, cell]) => quoted(String(cell(row) ?? '')))),
  ];
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('');
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
