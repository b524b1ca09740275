/**
 * A profile as one HTML file: header and table are there without a script, the script beside them draws the charts
 * and makes the table sortable. Nothing is fetched, which the page's own content security policy holds it to.
 */
import type { ProfileReport } from '@onegpu/onnx';
import { PAGE_SCRIPT } from '#page-script';
import { chartStyle } from './charts/chart-style.css.ts';
import { escapeHtml, jsonForScript } from './escape-html.ts';
import { shorten } from './format-values.ts';
import { fusedHtml } from './page-fused.ts';
import { headerHtml, hostHtml } from './page-header.ts';
import { pageStyle } from './page-style.css.ts';
import { tableHtml } from './page-table.ts';

export interface HtmlReportOptions {
  /** Name of the model, as heading and as title of the page. */
  readonly title: string;
}

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";
const LONGEST_TITLE = 120;

/** The whole document as text. */
export function htmlReport(report: ProfileReport, { title }: HtmlReportOptions): string {
  const name = escapeHtml(shorten(title, LONGEST_TITLE));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${name} · OneGpu profile</title>
<link rel="icon" href="data:,">
<style data-onegpu-charts>${chartStyle}</style>
<style>${pageStyle}</style>
</head>
<body>
<main>
${headerHtml(report, name)}
${section('layers', 'Time by layer', report.rows.some((row) => row.p90Ms !== undefined) ? 'A column is the median of a row, the thin line reaches its 90th percentile.' : '', '<label class="inline">colour by <select id="color-by"><option>operator</option><option>algorithm</option></select></label>')}
<div class="pair">
${section('roofline', 'Roofline', 'Each dot is a row, its area the time it takes.')}
<div class="stack">
${section('operators', 'Time by operator and algorithm', '')}
${hostHtml(report)}
${fusedHtml(report)}
</div>
</div>
${section('memory', 'Memory of the arenas', 'Live bytes while each row runs.')}
${tableHtml(report)}
</main>
<script type="application/json" id="report">${jsonForScript(report)}</script>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`;
}

/** A heading and the container of a chart. */
function section(id: string, heading: string, words: string, controls = ''): string {
  const remark = words === '' ? '' : `<p class="remark">${words}</p>`;
  return `<section class="card"><div class="head"><h2>${heading}</h2>${controls}</div>${remark}<div id="${id}"></div></section>`;
}
