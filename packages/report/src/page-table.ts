/**
 * The table of rows, complete without a script. Cells that sort by number carry it in `data-value`; the page's script
 * sorts and filters what is here and adds nothing.
 */
import type { ProfileReport, ProfileRow } from '@onegpu/onnx';
import { escapeHtml } from './escape-html.ts';
import {
  formatBytes,
  formatCount,
  formatMs,
  formatNodes,
  formatPercent,
  formatRate,
  formatRowTime,
  formatShape,
  shorten,
} from './format-values.ts';

interface Column {
  readonly title: string;
  readonly words?: string;
  /** Numbers are to the right and sort from the largest first. */
  readonly value?: (row: ProfileRow) => number | undefined;
  readonly html: (row: ProfileRow) => string;
}

const NODE_LENGTH = 34;
const TITLE_LENGTH = 1200;

/** The essentials first: what is to the right may have to be scrolled to. `most` is the largest share. */
const firstColumns = (most: number): readonly Column[] => [
  { title: '#', value: (row) => row.index, html: (row) => String(row.index) },
  { title: 'Kernel', html: kernelHtml },
  { title: 'ms', words: 'median', value: timeValue, html: (row) => formatRowTime(row).replace('<', '&lt;') },
  { title: 'p90', words: 'milliseconds', value: (row) => row.p90Ms, html: (row) => formatMs(row.p90Ms) },
  { title: 'Share', value: (row) => row.share, html: (row) => shareHtml(row.share, most) },
  { title: 'GFLOP/s', value: (row) => row.gflops, html: (row) => formatRate(row.gflops) },
  { title: 'GB/s', value: (row) => row.gbps, html: (row) => formatRate(row.gbps) },
];

const CEILING_COLUMN: Column = {
  title: 'Ceiling',
  words: 'part of what the adapter was measured to do, and what bounds the row',
  value: (row) => row.ceiling?.fraction,
  html: ({ ceiling }) =>
    ceiling === undefined ? '–' : `${formatPercent(ceiling.fraction)} <small>${ceiling.bound}</small>`,
};

const MORE_COLUMNS: readonly Column[] = [
  { title: 'Fused', html: fusedBadges },
  { title: 'Output', html: (row) => formatShape(row.shape) },
  { title: 'Nodes', html: nodesHtml },
  { title: 'FLOP', value: (row) => row.flops, html: (row) => formatCount(row.flops) },
  {
    title: 'Bytes',
    words: 'that must move',
    value: (row) => row.bytes,
    html: (row) => formatBytes(row.bytes),
  },
];

export function tableHtml(report: ProfileReport): string {
  const under = report.rows.some((row) => row.ceiling !== undefined) ? [CEILING_COLUMN] : [];
  const most = Math.max(0, ...report.rows.map(({ share }) => share ?? 0));
  const columns = [...firstColumns(most), ...under, ...MORE_COLUMNS];
  const operators = [...new Set(report.rows.map((row) => row.operator))].sort();
  const options = operators.map((name) => `<option>${escapeHtml(name)}</option>`).join('');
  return `<section class="card"><div class="head"><h2>Rows</h2><div class="controls">
<input type="search" id="filter" placeholder="filter: kernel, node, shape" aria-label="Filter the rows">
<select id="operator" aria-label="Operator"><option value="">all operators</option>${options}</select>
<span id="shown" role="status"></span></div></div>
<div class="scroll" tabindex="0" role="region" aria-label="Rows"><table id="rows"><thead><tr>${columns.map(headHtml).join('')}</tr></thead>
<tbody>
${report.rows.map((row) => rowHtml(row, columns)).join('\n')}
</tbody></table></div></section>`;
}

function headHtml({ title, words, value }: Column, index: number): string {
  const explained = words === undefined ? '' : ` title="${words}"`;
  const number = value === undefined ? '' : ' class="number"';
  return `<th scope="col"${number}${index === 0 ? ' aria-sort="ascending"' : ''}><button type="button"${explained}>${title}</button></th>`;
}

function rowHtml(row: ProfileRow, columns: readonly Column[]): string {
  const cells = columns.map(({ value, html }) => {
    if (value === undefined) return `<td>${html(row)}</td>`;
    const sorted = value(row);
    return `<td class="number"${sorted === undefined ? '' : ` data-value="${sorted}"`}>${html(row)}</td>`;
  });
  return `<tr data-row="${row.index}">${cells.join('')}</tr>`;
}

/** Below the resolution sorts between no time and the shortest time. */
function timeValue(row: ProfileRow): number | undefined {
  return row.belowResolution === true ? 0 : row.medianMs;
}

function kernelHtml({ label, tunedFrom }: ProfileRow): string {
  const title = tunedFrom === undefined ? label : `${label}, tuned, in place of ${tunedFrom}`;
  const star = tunedFrom === undefined ? '' : ' *';
  return `<code title="${escapeHtml(title)}">${escapeHtml(shorten(label, 64))}</code>${star}`;
}

function fusedBadges({ fused }: ProfileRow): string {
  return fused.map((part) => `<span class="badge">${escapeHtml(part)}</span>`).join('');
}

function nodesHtml({ nodes, nodeOperators }: ProfileRow): string {
  if (nodes.length === 0) return '<span class="soft">layout conversion</span>';
  const all = nodes.map((name, index) => `${nodeOperators[index] ?? ''} ${name}`.trim()).join('\n');
  return `<span title="${escapeHtml(shorten(all, TITLE_LENGTH))}">${escapeHtml(formatNodes(nodes, NODE_LENGTH))}</span>`;
}

/** A bar behind the number, full for the longest row. */
function shareHtml(share: number | undefined, most: number): string {
  const width = share === undefined || most === 0 ? 0 : (Math.max(0, share) / most) * 100;
  return `<span class="share" style="--part:${width.toFixed(1)}%">${formatPercent(share).replace('<', '&lt;')}</span>`;
}
