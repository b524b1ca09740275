/** What was fused: how many of the model's nodes became how many rows, and how often each part. */
import type { ProfileReport, ProfileRow } from '@onegpu/onnx';
import { escapeHtml } from './escape-html.ts';
import { plural } from './format-values.ts';

/** Rows that hold each fused part, most first. */
export function countFused(rows: readonly ProfileRow[]): readonly (readonly [part: string, rows: number])[] {
  const counts = new Map<string, number>();
  for (const row of rows) {
    for (const part of new Set(row.fused)) counts.set(part, (counts.get(part) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]);
}

/** Each part is a button that leaves only its rows in the table. */
export function fusedHtml({ rows }: ProfileReport): string {
  const nodes = rows.reduce((sum, row) => sum + row.nodes.length, 0);
  const conversions = rows.filter((row) => row.nodes.length === 0).length;
  const chips = countFused(rows).map(
    ([part, count]) =>
      `<button type="button" class="chip" data-fused="${escapeHtml(part)}" aria-pressed="false">${escapeHtml(part)} <b>${count}</b></button>`,
  );
  const more =
    conversions === 0
      ? ''
      : `, ${conversions} of them ${conversions === 1 ? 'a layout conversion' : 'layout conversions'}`;
  return `<section class="card"><div class="head"><h2>What was fused</h2></div>
<p class="remark">${plural(nodes, 'node')} of the model run as ${plural(rows.length, 'row')}${more}.${chips.length === 0 ? '' : ' A part shows its rows in the table.'}</p>
<div class="chips">${chips.join('')}</div></section>`;
}
