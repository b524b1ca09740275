/**
 * Roofline: each row's arithmetic rate over its operations per byte, both on logarithmic axes, under what the adapter
 * was measured to do; the area of a dot is the row's time (Williams, Waterman, Patterson, "Roofline", 2009,
 * https://doi.org/10.1145/1498765.1498785). The sloped roof is copyGbps * intensity, the flat one the multiply-add
 * rate; where they meet, a row is as much bound by memory as by arithmetic.
 */
import * as Plot from '@observablehq/plot';
import type { Ceilings, ProfileReport, ProfileRow } from '@onegpu/onnx';
import { formatRate, formatTime, plural } from '../format-values.ts';
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
import { logTicks } from './log-ticks.ts';
import { rowPalette } from './palette.ts';
import { type Fact, rowDetails } from './row-details.ts';
import type { RowLink } from './row-link.ts';
import { hideTooltip, showTooltip } from './tooltip.ts';

/** What a report without ceilings says. */
export const NO_CEILINGS =
  "The adapter's ceilings are not in this profile: onegpu profile adds them unless --no-ceilings is given, and onegpu bench --ceilings measures them anew.";

interface Point {
  readonly row: ProfileRow;
  /** Floating-point operations per byte that must move. */
  readonly intensity: number;
  readonly gflops: number;
  readonly ms: number;
}

interface Extent {
  readonly low: number;
  readonly high: number;
}

const REACH = 26;

export interface RooflineChartOptions extends ChartOptions {
  /** In CSS pixels; by default it follows the width. */
  readonly height?: number;
}

export function rooflineChart(
  container: HTMLElement,
  report: ProfileReport,
  options: RooflineChartOptions = {},
): Chart {
  return mountChart(container, options, (width, link) =>
    isTimed(report) ? drawRoofline(report, { width, link, height: options.height }) : emptyDrawing(NOT_TIMED),
  );
}

/** Rows that have a place in the plot: timed, with arithmetic, with bytes. */
export function rooflinePoints(rows: readonly ProfileRow[]): readonly Point[] {
  return rows.flatMap((row) => {
    const { flops, bytes, gflops, medianMs } = row;
    if (gflops === undefined || medianMs === undefined || !(flops > 0 && bytes > 0 && gflops > 0)) return [];
    return [{ row, intensity: flops / bytes, gflops, ms: medianMs }];
  });
}

/** GFLOP/s that bandwidth and arithmetic allow at an intensity. */
export function roofAt(intensity: number, ceilings: Pick<Ceilings, 'copyGbps' | 'f32Gflops'>): number {
  return Math.min(ceilings.f32Gflops, ceilings.copyGbps * intensity);
}

interface RooflineDrawing {
  readonly width: number;
  readonly link: RowLink;
  readonly height: number | undefined;
}

function drawRoofline(report: ProfileReport, { width, link, height }: RooflineDrawing): Drawing {
  const points = rooflinePoints(report.rows);
  if (points.length === 0) return emptyDrawing('No timed row of this model does arithmetic.');
  const { ceilings } = report;
  const palette = rowPalette(report);
  const x = spread([...points.map(({ intensity }) => intensity), ...(ceilings ? [ridge(ceilings)] : [])]);
  const rates = [...points.map(({ gflops }) => gflops), ...(ceilings ? [ceilings.f32Gflops] : [])];
  const y = spread(ceilings?.f16Gflops === undefined ? rates : [...rates, ceilings.f16Gflops]);
  const svg = Plot.plot({
    width,
    height: height ?? Math.max(320, Math.min(430, Math.round(width * 0.62))),
    marginLeft: 52,
    marginRight: 16,
    marginTop: 24,
    ariaLabel: `Roofline of ${plural(points.length, 'row')}: GFLOP/s over operations per byte`,
    x: { type: 'log', domain: [x.low, x.high] },
    y: { type: 'log', domain: [y.low, y.high] },
    r: { range: width < 500 ? [1.5, 9] : [2.5, 15] },
    marks: [
      ...tickMarks(x, y, width),
      ...(ceilings === undefined ? [] : roofMarks(ceilings, x, y)),
      Plot.dot(points, {
        x: 'intensity',
        y: 'gflops',
        r: 'ms',
        fill: ({ row }: Point) => palette.colorOf(row),
        fillOpacity: 0.75,
        stroke: 'var(--onegpu-paper)',
        strokeWidth: 0.75,
        className: 'onegpu-marks',
      }),
    ],
  });
  const dots = marksOf(svg, 'onegpu-marks', 'circle');
  listenToDots(svg, { dots, points, link, ceilings });
  const marks = dots.map((mark, index) => ({ mark, rows: [points[index]?.row.index ?? -1] }));
  return {
    node: element(
      'div',
      {},
      svg,
      ...remarks(report, points.length).map((text) => element('p', { class: 'onegpu-remark' }, text)),
    ),
    light: (lit) => lightMarks(marks, lit),
  };
}

/** The plot's own ticks of a logarithmic axis leave some without words. */
function tickMarks(x: Extent, y: Extent, width: number): Plot.Markish[] {
  const across = logTicks(x.low, x.high, width / 50);
  const up = logTicks(y.low, y.high, 9);
  const style = { text: tickText, tickSize: 0 };
  return [
    Plot.gridX(across),
    Plot.gridY(up),
    Plot.axisX(across, { ...style, label: 'FLOP per byte' }),
    Plot.axisY(up, { ...style, label: 'GFLOP/s' }),
  ];
}

function ridge({ f32Gflops, copyGbps }: Ceilings): number {
  return f32Gflops / copyGbps;
}

/** A third of a decade of room on both sides. */
function spread(values: readonly number[]): Extent {
  return { low: Math.min(...values) / 2, high: Math.max(...values) * 2 };
}

function roofMarks(ceilings: Ceilings, x: Extent, y: Extent): Plot.Markish[] {
  const { copyGbps, f16Gflops } = ceilings;
  const begin = Math.max(x.low, y.low / copyGbps);
  const corner = ridge(ceilings);
  const roof = [begin, Math.max(begin, corner), x.high].map((at) => ({ at, rate: roofAt(at, ceilings) }));
  const style = { stroke: 'var(--onegpu-ink)', strokeWidth: 1.5 } as const;
  const flat = f16Gflops === undefined ? [] : [{ x1: f16Gflops / copyGbps, x2: x.high, rate: f16Gflops }];
  const slopeAt = Math.sqrt(begin * Math.max(begin, corner));
  return [
    Plot.line(roof, { x: 'at', y: 'rate', ...style }),
    Plot.ruleY(flat, { x1: 'x1', x2: 'x2', y: 'rate', ...style, strokeDasharray: '4 3' }),
    ...roofNames(ceilings).map(({ rate, words }) => roofText([{ at: x.high, rate }], words)),
    Plot.text([{ at: slopeAt, rate: roofAt(slopeAt, ceilings) }], {
      x: 'at',
      y: 'rate',
      text: () => `copy ${formatRate(copyGbps)} GB/s`,
      textAnchor: 'end',
      dx: -8,
      dy: -6,
      fill: 'var(--onegpu-soft)',
    }),
  ];
}

/** Roofs closer than a line of text share one. */
function roofNames({ f32Gflops, f16Gflops }: Ceilings): readonly { rate: number; words: string }[] {
  const single = { rate: f32Gflops, words: `float32 ${rateText(f32Gflops)}` };
  if (f16Gflops === undefined) return [single];
  const half = `float16 ${rateText(f16Gflops)}`;
  const near = Math.abs(Math.log(f16Gflops / f32Gflops)) < 0.4;
  if (!near) return [single, { rate: f16Gflops, words: half }];
  return [{ rate: Math.max(f32Gflops, f16Gflops), words: `${single.words}, ${half}` }];
}

function roofText(at: readonly { at: number; rate: number }[], words: string): Plot.Markish {
  return Plot.text(at, {
    x: 'at',
    y: 'rate',
    text: () => words,
    textAnchor: 'end',
    dy: -7,
    fill: 'var(--onegpu-soft)',
  });
}

function rateText(gflops: number): string {
  return gflops >= 1000 ? `${formatRate(gflops / 1000)} TFLOP/s` : `${formatRate(gflops)} GFLOP/s`;
}

/** 0.01, 1, 100, 10k. */
function tickText(value: number): string {
  return value >= 1000 ? `${value / 1000}k` : String(Number(value.toPrecision(3)));
}

interface DotHover {
  readonly dots: readonly Element[];
  readonly points: readonly Point[];
  readonly link: RowLink;
  readonly ceilings: Ceilings | undefined;
}

/** The dot whose edge is nearest, within reach: small dots beside large ones can be pointed at too. */
function listenToDots(svg: Element, { dots, points, link, ceilings }: DotHover): void {
  let near: Point | undefined;
  for (const type of ['pointermove', 'pointerdown'] as const) {
    svg.addEventListener(type, (event) => {
      const { clientX: x, clientY: y } = event as PointerEvent;
      near = points[nearestDot(dots, x, y)];
      link.hover(near === undefined ? [] : [near.row.index]);
      if (near === undefined) return hideTooltip();
      showTooltip({ x, y }, rowDetails(near.row, roofFacts(near, ceilings)));
    });
  }
  svg.addEventListener('click', () => {
    if (near !== undefined) link.pick(near.row.index);
  });
}

function nearestDot(dots: readonly Element[], x: number, y: number): number {
  let nearest = -1;
  let least = REACH;
  dots.forEach((dot, index) => {
    const { left, right, top, bottom } = dot.getBoundingClientRect();
    const centre = Math.hypot((left + right) / 2 - x, (top + bottom) / 2 - y);
    const distance = Math.max(0, centre - (right - left) / 2) + centre / 1000;
    if (distance < least) {
      least = distance;
      nearest = index;
    }
  });
  return nearest;
}

function roofFacts({ intensity }: Point, ceilings: Ceilings | undefined): readonly Fact[] {
  const at: Fact = ['intensity', `${formatRate(intensity)} FLOP per byte`];
  if (ceilings === undefined) return [at];
  return [at, ['roof there', rateText(roofAt(intensity, ceilings))]];
}

function remarks({ rows, ceilings }: ProfileReport, shown: number): readonly string[] {
  const left = rows.filter((row) => rooflinePoints([row]).length === 0);
  const ms = left.reduce((sum, { medianMs }) => sum + (medianMs ?? 0), 0);
  return [
    ...(ceilings === undefined ? [NO_CEILINGS] : []),
    ...(shown === rows.length
      ? []
      : [
          `Not shown: ${plural(left.length, 'row')} without arithmetic or without a time (${formatTime(ms)}).`,
        ]),
  ];
}
