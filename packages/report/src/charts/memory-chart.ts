/**
 * Memory of the arenas over a run: the bytes that are live while each row runs, stacked by arena, under the peak of
 * the plan and over the bound that no plan goes below.
 */
import * as Plot from '@observablehq/plot';
import type { ProfileReport } from '@onegpu/onnx';
import { formatBytes, plural, shorten } from '../format-values.ts';
import { liveBytes, liveTensors } from '../live-bytes.ts';
import {
  type Chart,
  type ChartOptions,
  type Drawing,
  emptyDrawing,
  lightMarks,
  marksOf,
  mountChart,
} from './chart-frame.ts';
import { element } from './dom.ts';
import { legend } from './legend.ts';
import { COLUMN_MARGINS, columnsWidth, hitColumns, listenToColumns, rowAxis } from './row-columns.ts';
import { details, type Fact } from './row-details.ts';
import type { RowLink } from './row-link.ts';

const HEIGHT = 240;
const HUES = 6;
const SHOWN_TENSORS = 6;

interface Slab {
  readonly row: number;
  readonly arena: number;
  readonly bytes: number;
}

export function memoryChart(
  container: HTMLElement,
  report: ProfileReport,
  options: ChartOptions = {},
): Chart {
  return mountChart(container, options, (width, link) =>
    report.memory.tensors.length === 0
      ? emptyDrawing('This profile holds no tensors in arenas.')
      : drawMemory(report, width, link),
  );
}

function arenaColor(arena: number): string {
  return `var(--onegpu-arena-${(arena % HUES) + 1})`;
}

function drawMemory(report: ProfileReport, width: number, link: RowLink): Drawing {
  const { rows, memory } = report;
  const live = liveBytes(report);
  const slabs: readonly Slab[] = live.flatMap((arenas, row) =>
    arenas.map((bytes, arena) => ({ row, arena, bytes })),
  );
  const sums = live.map((arenas) => arenas.reduce((sum, bytes) => sum + bytes, 0));
  const top = Math.max(1, memory.peakBytes, memory.lowerBoundBytes, ...sums) * 1.12;
  const total = columnsWidth(width, rows.length);
  const { unit, name } = byteUnit(top);
  const svg = Plot.plot({
    ...COLUMN_MARGINS,
    width: total,
    height: HEIGHT,
    ariaLabel: `Live arena bytes of ${plural(rows.length, 'row')}; planned peak ${formatBytes(memory.peakBytes)}`,
    x: rowAxis(rows.length, total),
    y: { domain: [0, top / unit], grid: true, label: name },
    marks: [
      Plot.barY(slabs, {
        x: 'row',
        y: ({ bytes }: Slab) => bytes / unit,
        fill: ({ arena }: Slab) => arenaColor(arena),
        order: ({ arena }: Slab) => arena,
        inset: 0,
        className: 'onegpu-marks',
      }),
      ...limitMarks(memory, unit),
      Plot.ruleY([0], { stroke: 'var(--onegpu-soft)' }),
      hitColumns(rows.length, top / unit),
    ],
  });
  listenToColumns(svg, link, (row) => memoryDetails(report, row, sums[row] ?? 0));
  const marks = marksOf(svg, 'onegpu-marks', 'rect').map((mark, index) => ({
    mark,
    rows: [slabs[index]?.row ?? -1],
  }));
  return {
    node: element('div', {}, legend(...arenaNames(memory)), svg),
    light: (lit) => lightMarks(marks, lit),
  };
}

function arenaNames(memory: ProfileReport['memory']): [names: string[], colors: string[]] {
  const names = memory.arenas.map(({ bytes }, arena) => `arena ${arena} (${formatBytes(bytes)})`);
  return [names, memory.arenas.map((_, arena) => arenaColor(arena))];
}

function byteUnit(top: number): { readonly unit: number; readonly name: string } {
  const power = Math.max(0, Math.min(3, Math.floor(Math.log2(top) / 10)));
  return { unit: 1024 ** power, name: ['B', 'KiB', 'MiB', 'GiB'][power] ?? 'B' };
}

/** Both limits; their words do not touch where the two are close. */
function limitMarks({ peakBytes, lowerBoundBytes }: ProfileReport['memory'], unit: number): Plot.Markish[] {
  const limit = (bytes: number, words: string, below: boolean): Plot.Markish[] => [
    Plot.ruleY([bytes / unit], {
      stroke: below ? 'var(--onegpu-soft)' : 'var(--onegpu-warn)',
      strokeDasharray: below ? '2 3' : '6 3',
    }),
    Plot.text([bytes / unit], {
      y: (value: number) => value,
      frameAnchor: below ? 'left' : 'right',
      text: () => `${words} ${formatBytes(bytes)}`,
      dx: below ? 4 : -2,
      dy: -7,
      fill: below ? 'var(--onegpu-soft)' : 'var(--onegpu-warn)',
      stroke: 'var(--onegpu-paper)',
      strokeWidth: 3,
    }),
  ];
  return [...limit(lowerBoundBytes, 'lower bound', true), ...limit(peakBytes, 'planned peak', false)];
}

function memoryDetails(report: ProfileReport, row: number, sum: number): Node {
  const tensors = liveTensors(report, row);
  const facts: Fact[] = tensors
    .slice(0, SHOWN_TENSORS)
    .map(({ name, arena, bytes }) => [`arena ${arena}`, `${formatBytes(bytes)}  ${shorten(name, 40)}`]);
  const rest = tensors.length - SHOWN_TENSORS;
  if (rest > 0) facts.push(['', `and ${rest} more`]);
  const label = report.rows[row]?.label ?? '';
  return details(
    `${row}  ${label}`,
    [`${formatBytes(sum)} live in ${plural(tensors.length, 'tensor')}`],
    facts,
  );
}
