/** Style of the report's page around its charts; colours are those of `chart-style.css.ts`. */

export const pageStyle = `
:root { color-scheme: light dark; --page: #f4f6f9; }
@media (prefers-color-scheme: dark) { :root { --page: #0f141b; } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--page); color: var(--onegpu-ink); font: 14px/1.45 system-ui, sans-serif; }
main { max-width: 1360px; margin: 0 auto; padding: 28px 24px 60px; }
h1 { margin: 0; font-size: 26px; line-height: 1.2; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h2 { margin: 0; font-size: 15px; }
code { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
small { font-size: 0.62em; font-weight: 400; color: var(--onegpu-soft); }
.facts { margin: 6px 0 18px; color: var(--onegpu-soft); overflow-wrap: anywhere; }
.facts .dot { margin: 0 8px; opacity: 0.6; }
.totals { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 1px; overflow: hidden;
  border: 1px solid var(--onegpu-line); border-radius: 10px; background: var(--onegpu-paper); }
.total { display: flex; flex-direction: column; padding: 12px 14px;
  box-shadow: 1px 0 var(--onegpu-line), 0 1px var(--onegpu-line); }
.total span, .total em { font-size: 12px; font-style: normal; color: var(--onegpu-soft); }
.total b { font-size: 21px; font-weight: 650; font-variant-numeric: tabular-nums; white-space: nowrap; }
.notes { margin: 14px 0 0; padding: 10px 14px 10px 30px; border-left: 3px solid var(--onegpu-accent);
  border-radius: 0 8px 8px 0; background: var(--onegpu-paper); font-size: 13px; color: var(--onegpu-soft); }
.card { margin-top: 16px; padding: 16px 18px; border: 1px solid var(--onegpu-line); border-radius: 10px;
  background: var(--onegpu-paper); min-width: 0; }
.head { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 8px 16px;
  margin-bottom: 10px; }
.remark { margin: -4px 0 10px; font-size: 13px; color: var(--onegpu-soft); }
.pair { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 16px; }
.stack { min-width: 0; }
.pair > .card, .stack > .card:last-child { margin-bottom: 0; }
.inline { font-size: 13px; color: var(--onegpu-soft); }
select, input { font: inherit; font-size: 13px; padding: 4px 8px; border: 1px solid var(--onegpu-line);
  border-radius: 6px; background: var(--onegpu-paper); color: var(--onegpu-ink); }
input[type='search'] { width: 230px; max-width: 100%; }
button { font: inherit; color: inherit; cursor: pointer; }
:focus-visible { outline: 2px solid var(--onegpu-accent); outline-offset: 1px; }
.host { display: flex; height: 16px; border-radius: 4px; overflow: hidden; margin-bottom: 8px;
  background: var(--onegpu-line); }
.host + .onegpu-legend b { color: var(--onegpu-ink); font-weight: 600; }
.chips { display: flex; flex-wrap: wrap; gap: 6px; }
.chip { padding: 3px 11px; border: 1px solid var(--onegpu-line); border-radius: 14px; background: none; font-size: 13px; }
.chip b { color: var(--onegpu-soft); font-weight: 500; }
.chip:hover { border-color: var(--onegpu-accent); }
.chip[aria-pressed='true'] { border-color: var(--onegpu-accent); box-shadow: inset 0 0 0 1px var(--onegpu-accent); }
.controls { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; font-size: 13px;
  color: var(--onegpu-soft); }
.scroll { overflow: auto; max-height: min(76vh, 900px); margin: 0 -18px -16px; border-top: 1px solid var(--onegpu-line);
  border-radius: 0 0 10px 10px; }
table { width: 100%; border-collapse: collapse; font-size: 12.5px; }
th { position: sticky; top: 0; z-index: 1; padding: 0; text-align: left; background: var(--onegpu-paper);
  box-shadow: inset 0 -1px var(--onegpu-line); }
th button { width: 100%; padding: 7px 7px; border: 0; background: none; font-weight: 600; text-align: inherit;
  white-space: nowrap; color: var(--onegpu-soft); }
th[aria-sort] button { color: var(--onegpu-ink); }
th[aria-sort='ascending'] button::after { content: ' ▲'; font-size: 9px; }
th[aria-sort='descending'] button::after { content: ' ▼'; font-size: 9px; }
td { padding: 4px 7px; border-top: 1px solid var(--onegpu-line); white-space: nowrap; }
td:first-child, th:first-child button { padding-left: 18px; }
td:last-child, th:last-child button { padding-right: 18px; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.number small { font-size: 11px; }
.soft { color: var(--onegpu-soft); }
.badge { display: inline-block; margin-right: 3px; padding: 0 6px; border-radius: 8px; font-size: 11px;
  background: color-mix(in srgb, var(--onegpu-accent) 14%, transparent); }
.share { display: inline-block; min-width: 64px; padding: 0 3px; background: linear-gradient(to left,
  color-mix(in srgb, var(--onegpu-accent) 26%, transparent) var(--part), transparent var(--part)); }
tr[data-row] { cursor: default; }
tr.lit td { background: color-mix(in srgb, var(--onegpu-accent) 13%, transparent); }
tr.picked td { background: color-mix(in srgb, var(--onegpu-accent) 24%, transparent); }
@media (max-width: 900px) { .pair { grid-template-columns: minmax(0, 1fr); gap: 0; } }
@media (max-width: 560px) {
  main { padding: 18px 10px 40px; }
  h1 { font-size: 21px; }
  .totals { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .total { padding: 9px 11px; }
  .total b { font-size: 18px; }
  .card { padding: 13px 12px; }
  .scroll { margin: 0 -12px -13px; }
  input[type='search'] { width: 100%; }
  td code { display: block; max-width: 38vw; overflow: hidden; text-overflow: ellipsis; }
}
@page { size: landscape; margin: 11mm; }
@media print {
  :root { color-scheme: light; --page: #ffffff; }
  main { max-width: none; padding: 0; }
  .card, .totals { break-inside: avoid; }
  .card:has(table) { break-inside: auto; }
  .controls, .inline { display: none; }
  .scroll { max-height: none; overflow: visible; }
  table { font-size: 7pt; }
  th { position: static; }
  th button { padding: 3px 4px; }
  td { padding: 2px 4px; white-space: normal; overflow-wrap: anywhere; }
  td.number, td code { white-space: nowrap; font-size: 6.8pt; }
  .badge { padding: 0 3px; font-size: 6.2pt; }
  th:nth-last-child(-n + 2), td:nth-last-child(-n + 2) { display: none; }
  tr { break-inside: avoid; }
}
`;
