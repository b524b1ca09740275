/**
 * What charts with one column a row share: a width in which every column can be pointed at, sparse ticks, invisible
 * columns of full height that take the pointer, and arrow keys.
 */
import * as Plot from '@observablehq/plot';
import { marksOf } from './chart-frame.ts';
import type { RowLink } from './row-link.ts';
import { hideTooltip, showTooltip } from './tooltip.ts';

/** Same for all charts with a column a row, so that columns above each other are the same row. */
export const COLUMN_MARGINS = { marginLeft: 52, marginRight: 12 } as const;

const LEAST_COLUMN = 2.9;

/** At least the container's width; more, for scrolling, where columns would be too thin. */
export function columnsWidth(width: number, rows: number): number {
  return Math.max(
    width,
    Math.ceil(rows * LEAST_COLUMN + COLUMN_MARGINS.marginLeft + COLUMN_MARGINS.marginRight),
  );
}

/** Options of the axis of rows: a band each, ticks at round numbers. */
export function rowAxis(rows: number, width: number): Plot.ScaleOptions {
  const most = Math.max(2, Math.floor(width / 60));
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((size) => rows / size <= most) ?? 2000;
  const ticks = Array.from({ length: Math.ceil(rows / step) }, (_, index) => index * step);
  return {
    type: 'band',
    domain: Array.from({ length: rows }, (_, index) => index),
    ticks,
    label: 'row, in run order',
    padding: rows > width / 8 ? 0.08 : 0.18,
  };
}

/** Invisible full-height columns; `top` is the largest value of the y axis. */
export function hitColumns(rows: number, top: number): Plot.Markish {
  return Plot.barY(
    Array.from({ length: rows }, (_, index) => index),
    {
      x: (index: number) => index,
      y1: 0,
      y2: top,
      inset: -1,
      fill: 'transparent',
      pointerEvents: 'all',
      className: 'onegpu-hits',
    },
  );
}

/** Pointer and keys of a chart with `hitColumns`: lights the row, shows what `content` says, picks on click. */
export function listenToColumns(svg: Element, link: RowLink, content: (row: number) => Node): void {
  const hits = marksOf(svg, 'onegpu-hits', 'rect');
  const rowOf = new Map(hits.map((hit, row) => [hit as EventTarget, row]));
  const show = (row: number, point: { x: number; y: number }): void => {
    link.hover([row]);
    showTooltip(point, content(row));
  };
  for (const type of ['pointermove', 'pointerdown'] as const) {
    svg.addEventListener(type, (event) => {
      const { target, clientX: x, clientY: y } = event as PointerEvent;
      const row = target === null ? undefined : rowOf.get(target);
      if (row !== undefined) return show(row, { x, y });
      hideTooltip();
      link.hover([]);
    });
  }
  svg.addEventListener('click', ({ target }) => {
    const row = target === null ? undefined : rowOf.get(target);
    if (row !== undefined) link.pick(row);
  });
  listenToKeys(svg, hits, { show, pick: (row) => link.pick(row), leave: () => link.hover([]) });
}

interface KeyActions {
  show(row: number, point: { x: number; y: number }): void;
  pick(row: number): void;
  leave(): void;
}

function listenToKeys(svg: Element, hits: readonly Element[], actions: KeyActions): void {
  let at = -1;
  const show = (): void => {
    const area = hits[at]?.getBoundingClientRect();
    if (area === undefined || document.activeElement !== svg) return;
    actions.show(at, { x: area.right, y: area.top + area.height / 3 });
  };
  svg.setAttribute('tabindex', '0');
  svg.addEventListener('keydown', (event) => {
    const { key } = event as KeyboardEvent;
    const last = hits.length - 1;
    const next = { ArrowRight: Math.min(last, at + 1), ArrowLeft: Math.max(0, at - 1), Home: 0, End: last }[
      key
    ];
    if (next !== undefined) {
      event.preventDefault();
      at = next;
      // Scrolling hides the tooltip before the next frame is drawn.
      if (scrollToColumn(svg, hits[at])) requestAnimationFrame(show);
      else show();
    } else if (key === 'Enter' && at >= 0) actions.pick(at);
  });
  svg.addEventListener('blur', () => {
    actions.leave();
    hideTooltip();
  });
}

/** Brings a column into the middle where the chart is scrolled past it. @returns whether that moved anything */
function scrollToColumn(svg: Element, column: Element | undefined): boolean {
  const container = svg.closest('.onegpu-chart');
  if (container === null || column === undefined) return false;
  const [view, area] = [container.getBoundingClientRect(), column.getBoundingClientRect()];
  if (area.left >= view.left && area.right <= view.right) return false;
  const before = container.scrollLeft;
  container.scrollLeft += (area.left + area.right - view.left - view.right) / 2;
  return container.scrollLeft !== before;
}
