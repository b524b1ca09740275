/** Time by layer: a column a row in the order they run, a thin line up to the 90th percentile. */
import * as Plot from '@observablehq/plot';
import type { ProfileReport } from '@onegpu/onnx';
import { formatTime, plural } from '../format-values.ts';
import {
  type Chart,
  type ChartOptions,
  type Drawing,
  emptyDrawing,
  isTimed,
  lightMarks,
  marksOf,
  mountChart,
  NOT_TIMED,
} from './chart-frame.ts';
import { element } from './dom.ts';
import { legend } from './legend.ts';
import { type ColorBy, rowPalette } from './palette.ts';
import { COLUMN_MARGINS, columnsWidth, hitColumns, listenToColumns, rowAxis } from './row-columns.ts';
import { rowDetails } from './row-details.ts';
import type { RowLink } from './row-link.ts';

export interface LayerChartOptions extends ChartOptions {
  /** Default: operator. */
  readonly colorBy?: ColorBy;
}

const HEIGHT = 280;
/** A 90th percentile further above the longest median than this is cut: one outlier must not flatten the chart. */
const MOST_SPREAD = 1.3;

/** Draws into `container`; rows without a time have a column of no height that can still be pointed at. */
export function layerChart(
  container: HTMLElement,
  report: ProfileReport,
  options: LayerChartOptions = {},
): Chart {
  return mountChart(container, options, (width, link) =>
    isTimed(report) ? drawLayers(report, { width, link, colorBy: options.colorBy }) : emptyDrawing(NOT_TIMED),
  );
}

interface LayerDrawing {
  readonly width: number;
  readonly link: RowLink;
  readonly colorBy: ColorBy | undefined;
}

function drawLayers(report: ProfileReport, { width, link, colorBy }: LayerDrawing): Drawing {
  const { rows } = report;
  const palette = rowPalette(report, colorBy);
  const longest = Math.max(...rows.map(({ medianMs }) => medianMs ?? 0));
  const spread = Math.max(...rows.map(({ p90Ms }) => p90Ms ?? 0));
  const top = Math.max(longest, Math.min(spread, longest * MOST_SPREAD));
  const total = columnsWidth(width, rows.length);
  const svg = Plot.plot({
    ...COLUMN_MARGINS,
    width: total,
    height: HEIGHT,
    ariaLabel: `Time of ${plural(rows.length, 'row')} in run order; the longest takes ${formatTime(longest)}`,
    x: rowAxis(rows.length, total),
    y: { domain: [0, top * 1.04], grid: true, label: 'ms', nice: false },
    marks: [
      Plot.barY(rows, {
        x: 'index',
        y: (row: (typeof rows)[number]) => row.medianMs ?? 0,
        fill: (row: (typeof rows)[number]) => palette.colorOf(row),
        className: 'onegpu-marks',
      }),
      Plot.ruleX(
        rows.filter(({ p90Ms }) => p90Ms !== undefined),
        {
          x: 'index',
          y1: 'medianMs',
          y2: 'p90Ms',
          stroke: 'var(--onegpu-soft)',
          strokeOpacity: 0.7,
          clip: true,
        },
      ),
      Plot.ruleY([0], { stroke: 'var(--onegpu-soft)' }),
      hitColumns(rows.length, top * 1.04),
    ],
  });
  listenToColumns(svg, link, (index) => {
    const row = rows[index];
    return row === undefined ? element('span') : rowDetails(row);
  });
  const marks = marksOf(svg, 'onegpu-marks', 'rect').map((mark, row) => ({ mark, rows: [row] }));
  return {
    node: element('div', {}, legend(palette.names, palette.colors), svg),
    light: (lit) => lightMarks(marks, lit),
  };
}
