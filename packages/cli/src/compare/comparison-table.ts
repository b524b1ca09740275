/** Two profiles as a table that fits the terminal; 80 columns show both times, their ratio and their difference. */
import { basename } from 'node:path';
import { belowResolution, byteSize, milliseconds, UNKNOWN } from '../figures.ts';
import { type Column, formatTable, terminalWidth } from '../table.ts';
import {
  type ComparedFigures,
  type ComparedRow,
  type ComparedSide,
  inputsText,
  type ProfileComparison,
  type ProfileFacts,
} from './compare-profiles.ts';

export function formatComparison(comparison: ProfileComparison, width = terminalWidth()): string {
  const { a, b, warnings, rows } = comparison;
  const alone = rows.filter((row) => row.matchedBy === undefined).length;
  return [
    formatFacts('A', a),
    formatFacts('B', b),
    ...warnings.map((text) => `warning: ${text}`),
    '',
    formatTable(rows, rowColumns(comparison), width),
    '',
    formatTable(totalsOf(comparison), TOTAL_COLUMNS, width),
    ...(alone === 0 ? [] : [`note: ${alone} of ${rows.length} rows have no partner in the other profile`]),
  ].join('\n');
}

function formatFacts(name: string, facts: ProfileFacts): string {
  const model = facts.model === undefined ? [] : [basename(facts.model)];
  const what = [...model, inputsText(facts), `${facts.mode} mode`, `${facts.runs} runs`];
  return `${name}  ${facts.file}\n   ${what.join(', ')}\n   ${facts.adapter}`;
}

function rowColumns({ a, b }: ProfileComparison): readonly Column<ComparedRow>[] {
  return [
    { title: '#A', align: 'right', text: (row) => indices(row.a) },
    { title: '#B', align: 'right', text: (row) => indices(row.b), importance: 1 },
    { title: 'kernel, A > B where it changed', text: labelChange, least: 36 },
    { title: 'A ms', align: 'right', text: (row) => timeOf(row.a, row.ms.a, a) },
    { title: 'B ms', align: 'right', text: (row) => timeOf(row.b, row.ms.b, b) },
    { title: 'B/A', align: 'right', text: ratioOf },
    { title: 'B-A ms', align: 'right', text: (row) => signed(row.ms.difference) },
    { title: 'output', text: outputOf, least: 12, importance: 2 },
    { title: 'nodes', text: nodesOf, least: 28, importance: 3 },
  ];
}

function indices({ rows }: ComparedSide): string {
  return rows.length === 0 ? UNKNOWN : rows.map((row) => row.index).join('+');
}

function timeOf(side: ComparedSide, ms: number | undefined, { resolutionMs }: ProfileFacts): string {
  return side.belowResolution === true ? belowResolution(resolutionMs) : milliseconds(ms);
}

function ratioOf({ matchedBy, a, ms }: ComparedRow): string {
  if (matchedBy === undefined) return a.rows.length === 0 ? 'only B' : 'only A';
  return ratioText(ms.ratio);
}

function ratioText(ratio: number | undefined): string {
  return ratio === undefined ? UNKNOWN : ratio.toFixed(ratio < 10 ? 3 : 1);
}

function signed(ms: number | undefined): string {
  if (ms === undefined) return UNKNOWN;
  return `${ms > 0 ? '+' : ''}${milliseconds(ms)}`;
}

function outputOf({ a, b }: ComparedRow): string {
  const last = a.rows.at(-1) ?? b.rows.at(-1);
  return last?.shape.join('x') ?? '';
}

function nodesOf({ a, b }: ComparedRow): string {
  return [...new Set([...a.rows, ...b.rows].flatMap((row) => row.nodes))].join(' ');
}

/** The label of both, or the parts that differ: `conv: direct/f32 > register-tile/f32/8x8`. */
export function labelChange({ a, b }: Pick<ComparedRow, 'a' | 'b'>): string {
  const [labelA, labelB] = [a, b].map(({ rows }) => rows.map((row) => row.label).join(' + '));
  if (labelA === undefined || labelB === undefined || labelA === labelB || labelB === '') return labelA ?? '';
  if (labelA === '') return labelB;
  const [partsA, partsB] = [labelA.split('/'), labelB.split('/')];
  let common = 0;
  while (common < partsA.length - 1 && partsA[common] === partsB[common]) common++;
  const change = `${partsA.slice(common).join('/')} > ${partsB.slice(common).join('/')}`;
  return common === 0 ? change : `${partsA.slice(0, common).join('/')}: ${change}`;
}

interface Total {
  readonly name: string;
  readonly figures: ComparedFigures;
  readonly text: (value: number) => string;
}

const TOTAL_COLUMNS: readonly Column<Total>[] = [
  { title: 'total', text: ({ name }) => name },
  { title: 'A', align: 'right', text: ({ figures, text }) => known(figures.a, text) },
  { title: 'B', align: 'right', text: ({ figures, text }) => known(figures.b, text) },
  { title: 'B/A', align: 'right', text: ({ figures }) => ratioText(figures.ratio) },
  {
    title: 'B-A',
    align: 'right',
    text: ({ figures: { difference }, text }) =>
      known(difference, (value) => `${value > 0 ? '+' : ''}${text(value)}`),
  },
];

function totalsOf({ totals }: ProfileComparison): readonly Total[] {
  const ms = (value: number): string => `${milliseconds(value)} ms`;
  return [
    { name: 'layers, summed', figures: totals.gpuMs, text: ms },
    { name: 'profiled run', figures: totals.spanMs, text: ms },
    { name: 'unprofiled run', figures: totals.unprofiledSpanMs, text: ms },
    { name: 'wall clock', figures: totals.wallMs, text: ms },
    { name: 'arenas', figures: totals.arenaBytes, text: byteSize },
  ];
}

function known(value: number | undefined, text: (value: number) => string): string {
  return value === undefined ? UNKNOWN : text(value);
}
