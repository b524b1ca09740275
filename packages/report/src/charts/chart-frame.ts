/**
 * What all charts have in common: a chart is drawn for the width of its container and again when that changes, says
 * in words what it shows, dims what is not lit, and takes itself away.
 */
import type { ProfileReport } from '@onegpu/onnx';
import { useChartStyle } from './chart-style.css.ts';
import { createRowLink, type RowLink, type RowSet } from './row-link.ts';
import { hideTooltip } from './tooltip.ts';

export interface ChartOptions {
  /** Shared by the charts of one report; a chart of its own by default. */
  readonly link?: RowLink;
}

export interface Chart {
  /** Draws again, for example after the container was shown. */
  redraw(): void;
  /** Empties the container and stops listening. */
  remove(): void;
}

/** One drawing: what is put into the container, and how lit rows show in it. */
export interface Drawing {
  readonly node: Element;
  light(rows: RowSet): void;
}

export type Draw = (width: number, link: RowLink) => Drawing;

const LEAST_WIDTH = 240;

export function mountChart(container: HTMLElement, options: ChartOptions, draw: Draw): Chart {
  useChartStyle(container);
  container.classList.add('onegpu-chart');
  const link = options.link ?? createRowLink();
  let drawing: Drawing | undefined;
  let drawnWidth = 0;
  const redraw = (): void => {
    drawnWidth = Math.max(LEAST_WIDTH, Math.floor(container.clientWidth));
    drawing = draw(drawnWidth, link);
    container.replaceChildren(drawing.node);
  };
  const leave = (): void => {
    hideTooltip();
    link.hover([]);
  };
  redraw();
  container.addEventListener('pointerleave', leave);
  const forget = link.onHover((rows) => drawing?.light(rows));
  const observer = new ResizeObserver(() => {
    if (container.clientWidth > 0 && Math.abs(container.clientWidth - drawnWidth) > 1) redraw();
  });
  observer.observe(container);
  return {
    redraw,
    remove() {
      observer.disconnect();
      forget();
      container.removeEventListener('pointerleave', leave);
      hideTooltip();
      container.replaceChildren();
    },
  };
}

/** Dims the marks whose row is not lit; none lit dims none. */
export function lightMarks(
  marks: readonly { readonly mark: Element; readonly rows: readonly number[] }[],
  lit: RowSet,
): void {
  for (const { mark, rows } of marks) {
    const dim = lit.size > 0 && !rows.some((row) => lit.has(row));
    mark.classList.toggle('onegpu-dim', dim);
  }
}

/** Marks of one group of a plot, in the order of the data they were made from; Plot may draw them in another. */
export function marksOf(node: Element, group: string, selector: string): readonly Element[] {
  return [...node.querySelectorAll(`.${group} ${selector}`)].sort((a, b) => datumOf(a) - datumOf(b));
}

/** Plot binds each mark to the index of its datum. */
function datumOf(mark: Element): number {
  return Number((mark as Element & { readonly __data__?: unknown }).__data__);
}

/** What a chart without data says instead. */
export function emptyDrawing(words: string): Drawing {
  const node = document.createElement('p');
  node.className = 'onegpu-empty';
  node.textContent = words;
  return { node, light() {} };
}

export const NOT_TIMED = 'Single layers were not timed: the adapter offers no timestamps.';

/** Whether any row has a time. */
export function isTimed(report: Pick<ProfileReport, 'rows'>): boolean {
  return report.rows.some((row) => row.medianMs !== undefined);
}
