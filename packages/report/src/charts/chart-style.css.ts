/**
 * Style of the charts and their tooltip; colours are custom properties that a page may set itself. Put into the
 * document once, by the first chart.
 */

export const chartStyle = `
:root {
  --onegpu-ink: #1b2430; --onegpu-soft: #5c6878; --onegpu-line: #dde2e9; --onegpu-paper: #ffffff;
  --onegpu-accent: #2f6fde; --onegpu-warn: #c0392b;
  --onegpu-hue-1: #3a6fd8; --onegpu-hue-2: #e07a1f; --onegpu-hue-3: #17977f; --onegpu-hue-4: #c0448c;
  --onegpu-hue-5: #a98600; --onegpu-hue-6: #7a5bd0; --onegpu-hue-7: #5a9a2f; --onegpu-hue-8: #cc4b40;
  --onegpu-hue-other: #8a94a3;
  --onegpu-arena-1: #33658a; --onegpu-arena-2: #6fa3c4; --onegpu-arena-3: #b5cfe0; --onegpu-arena-4: #8f88b8;
  --onegpu-arena-5: #c3bedc; --onegpu-arena-6: #dedbe9;
}
@media (prefers-color-scheme: dark) {
  :root {
    --onegpu-ink: #e6eaf0; --onegpu-soft: #98a4b5; --onegpu-line: #303a48; --onegpu-paper: #171d26;
    --onegpu-accent: #7aa7ff; --onegpu-warn: #ff8a7a;
    --onegpu-hue-1: #6d9bf5; --onegpu-hue-2: #f0a04f; --onegpu-hue-3: #3dc0a6; --onegpu-hue-4: #e57fb9;
    --onegpu-hue-5: #d5b23f; --onegpu-hue-6: #a78ef2; --onegpu-hue-7: #86c45b; --onegpu-hue-8: #ef7d72;
    --onegpu-hue-other: #7f8a9b;
    --onegpu-arena-1: #8fc1e3; --onegpu-arena-2: #4f8db5; --onegpu-arena-3: #2c5675; --onegpu-arena-4: #9a92c8;
    --onegpu-arena-5: #6a639a; --onegpu-arena-6: #4a4570;
  }
}
@media print {
  :root {
    --onegpu-ink: #1b2430; --onegpu-soft: #5c6878; --onegpu-line: #dde2e9; --onegpu-paper: #ffffff;
  }
}
.onegpu-chart { position: relative; overflow-x: auto; color: var(--onegpu-ink);
  background: linear-gradient(90deg, var(--onegpu-paper) 40%, transparent) 0 0 / 24px 100% no-repeat local,
    linear-gradient(270deg, var(--onegpu-paper) 40%, transparent) 100% 0 / 24px 100% no-repeat local,
    linear-gradient(90deg, rgb(0 0 0 / 0.16), transparent) 0 0 / 8px 100% no-repeat scroll,
    linear-gradient(270deg, rgb(0 0 0 / 0.16), transparent) 100% 0 / 8px 100% no-repeat scroll; }
.onegpu-chart svg { display: block; overflow: visible; font: 11px system-ui, sans-serif; max-width: none;
  background: none; color: var(--onegpu-ink); }
.onegpu-chart svg:focus-visible { outline: 2px solid var(--onegpu-accent); outline-offset: -2px; }
.onegpu-chart .onegpu-marks > * { transition: opacity 80ms; }
.onegpu-chart .onegpu-dim { opacity: 0.22; }
.onegpu-chart .onegpu-hits > * { cursor: pointer; }
.onegpu-legend { display: flex; flex-wrap: wrap; gap: 4px 14px; margin: 0 0 6px; padding: 0; list-style: none;
  font-size: 12px; color: var(--onegpu-soft); }
.onegpu-legend i { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 5px; }
.onegpu-empty, .onegpu-remark { color: var(--onegpu-soft); font-size: 13px; margin: 6px 0 0; }
.onegpu-tooltip { position: fixed; z-index: 10; max-width: min(460px, calc(100vw - 16px)); pointer-events: none;
  padding: 9px 11px; border: 1px solid var(--onegpu-line); border-radius: 7px; background: var(--onegpu-paper);
  color: var(--onegpu-ink); font: 12px/1.4 system-ui, sans-serif; box-shadow: 0 4px 18px rgb(0 0 0 / 0.18); }
.onegpu-tooltip strong { overflow-wrap: anywhere; }
.onegpu-tooltip .onegpu-node { color: var(--onegpu-soft); overflow-wrap: anywhere; }
.onegpu-tooltip dl { display: grid; grid-template-columns: auto 1fr; gap: 1px 12px; margin: 5px 0 0; }
.onegpu-tooltip dt { color: var(--onegpu-soft); }
.onegpu-tooltip dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
@media print {
  .onegpu-tooltip { display: none; }
  .onegpu-chart { overflow: visible; }
  .onegpu-chart svg { max-width: 100%; height: auto; }
}
`;

const MARK = 'data-onegpu-charts';

/** Puts the style at the beginning of the document's head, so that the page's own rules win. */
export function useChartStyle({ ownerDocument }: HTMLElement): void {
  if (ownerDocument.querySelector(`style[${MARK}]`) !== null) return;
  const style = ownerDocument.createElement('style');
  style.setAttribute(MARK, '');
  style.textContent = chartStyle;
  ownerDocument.head.prepend(style);
}
