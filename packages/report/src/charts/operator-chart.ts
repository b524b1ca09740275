/** Time by operator and algorithm, most first: where to look before reading single layers. */
import * as Plot from '@observablehq/plot';
import type { ProfileReport, ProfileRow } from '@onegpu/onnx';
import { formatBytes, formatCount, formatPercent, formatTime, plural, shorten } from '../format-values.ts';
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
import { algorithmName, rowPalette } from './palette.ts';
import { details } from './row-details.ts';
import type { RowLink } from './row-link.ts';
import { hideTooltip, showTooltip } from './tooltip.ts';

export interface AlgorithmSum {
  /** `operator/algorithm`. */
  readonly name: string;
  readonly rows: readonly ProfileRow[];
  /** Sum of the rows' medians. */
  readonly ms: number;
  /** Part of the sum of all rows, 0 to 1. */
  readonly share: number;
}

const BAR = 36;
const MOST_BARS = 14;

export function operatorChart(
  container: HTMLElement,
  report: ProfileReport,
  options: ChartOptions = {},
): Chart {
  return mountChart(container, options, (width, link) =>
    isTimed(report) ? drawSums(report, width, link) : emptyDrawing(NOT_TIMED),
  );
}

/** Most time first. */
export function sumByAlgorithm(rows: readonly ProfileRow[]): readonly AlgorithmSum[] {
  const groups = new Map<string, ProfileRow[]>();
  for (const row of rows) groups.set(algorithmName(row), [...(groups.get(algorithmName(row)) ?? []), row]);
  const sumOf = (members: readonly ProfileRow[]): number =>
    members.reduce((sum, { medianMs }) => sum + (medianMs ?? 0), 0);
  const total = sumOf(rows);
  return [...groups]
    .map(([name, members]) => {
      const ms = sumOf(members);
      return { name, rows: members, ms, share: total === 0 ? 0 : ms / total };
    })
    .sort((a, b) => b.ms - a.ms);
}

/** The largest, and one bar for all that are left. */
function shownSums(rows: readonly ProfileRow[]): readonly AlgorithmSum[] {
  const sums = sumByAlgorithm(rows);
  if (sums.length <= MOST_BARS) return sums;
  const rest = sums.slice(MOST_BARS - 1);
  const joined = {
    name: `${rest.length} others`,
    rows: rest.flatMap((sum) => sum.rows),
    ms: rest.reduce((total, { ms }) => total + ms, 0),
    share: rest.reduce((total, { share }) => total + share, 0),
  };
  return [...sums.slice(0, MOST_BARS - 1), joined];
}

function drawSums(report: ProfileReport, width: number, link: RowLink): Drawing {
  const sums = shownSums(report.rows);
  const palette = rowPalette(report);
  const most = sums[0]?.ms ?? 0;
  const svg = Plot.plot({
    width,
    height: sums.length * BAR + 8,
    marginLeft: 2,
    marginRight: 2,
    marginTop: 4,
    marginBottom: 4,
    ariaLabel: `Time by operator and algorithm: ${sums.map(({ name, ms }) => `${name} ${formatTime(ms)}`).join(', ')}`,
    x: { domain: [0, most === 0 ? 1 : most], axis: null },
    y: { type: 'band', domain: sums.map(({ name }) => name), axis: null, padding: 0 },
    marks: [
      Plot.barX(sums, {
        y: 'name',
        x: 'ms',
        insetTop: 19,
        insetBottom: 7,
        rx: 2,
        fill: ({ rows: [row] }: AlgorithmSum) => (row === undefined ? 'currentColor' : palette.colorOf(row)),
        className: 'onegpu-marks',
      }),
      Plot.text(sums, {
        y: 'name',
        frameAnchor: 'left',
        dy: -9,
        text: ({ name, rows }: AlgorithmSum) =>
          `${shorten(name, Math.floor(width / 11))}  · ${plural(rows.length, 'row')}`,
        className: 'onegpu-names',
      }),
      Plot.text(sums, {
        y: 'name',
        frameAnchor: 'right',
        dy: -9,
        fill: 'var(--onegpu-soft)',
        text: ({ ms, share }: AlgorithmSum) => `${formatTime(ms)}  ·  ${formatPercent(share)}`,
      }),
      Plot.barX(sums, {
        y: 'name',
        x1: 0,
        x2: most === 0 ? 1 : most,
        fill: 'transparent',
        pointerEvents: 'all',
        className: 'onegpu-hits',
      }),
    ],
  });
  listenToSums(svg, sums, link);
  const marks = marksOf(svg, 'onegpu-marks', 'rect').map((mark, index) => ({
    mark,
    rows: sums[index]?.rows.map((row) => row.index) ?? [],
  }));
  return { node: svg, light: (lit) => lightMarks(marks, lit) };
}

function listenToSums(svg: Element, sums: readonly AlgorithmSum[], link: RowLink): void {
  marksOf(svg, 'onegpu-hits', 'rect').forEach((hit, index) => {
    const sum = sums[index];
    if (sum === undefined) return;
    for (const type of ['pointermove', 'pointerdown'] as const) {
      hit.addEventListener(type, (event) => {
        const { clientX: x, clientY: y } = event as PointerEvent;
        link.hover(sum.rows.map((row) => row.index));
        showTooltip({ x, y }, sumDetails(sum));
      });
    }
    hit.addEventListener('pointerleave', hideTooltip);
  });
}

function sumDetails({ name, rows, ms, share }: AlgorithmSum): Node {
  const flops = rows.reduce((sum, row) => sum + row.flops, 0);
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  const rate = (amount: number): string => (ms === 0 ? '' : ` at ${formatCount(amount / (ms / 1000))}`);
  return details(
    name,
    [],
    [
      ['rows', String(rows.length)],
      ['time', formatTime(ms)],
      ['share', formatPercent(share)],
      ['arithmetic', flops === 0 ? 'none' : `${formatCount(flops)}FLOP${rate(flops)}FLOP/s`],
      ['must move', `${formatBytes(bytes)}${rate(bytes)}B/s`],
    ],
  );
}
