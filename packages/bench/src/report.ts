/** A benchmark's rows as a table for a terminal or a page; JSON is the report itself. */
import type { BenchEnvironment } from './environment.ts';
import type { BenchReport, BenchRow } from './run-benchmark.ts';

const HEADINGS = [
  'model',
  'input',
  'runner',
  'median',
  'min',
  'max',
  'spread',
  'first run',
  'load',
  'ratio',
  'difference',
];

/** Markdown: the environment in a line, then one row a model, batch and runner. */
export function formatBenchReport({ environment, options, rows }: BenchReport): string {
  const runs = `${options.runs} runs after ${1 + options.warmup}, in turns; mode ${options.mode}`;
  const notes = rows.flatMap(({ model, runner, note }) =>
    note === undefined ? [] : [`${model}, ${runner}: ${note}`],
  );
  return [
    formatEnvironment(environment),
    `${runs}; times in ms of run(), host tensors in and out; ratio = peer's median / ours; difference = max|y - r| / max|r|.`,
    '',
    ...markdownTable(HEADINGS, rows.map(cells)),
    ...(notes.length === 0 ? [] : ['', ...notes]),
  ].join('\n');
}

export function formatEnvironment(environment: BenchEnvironment): string {
  const { adapter, cpu, cpus, platform, versions, commit } = environment;
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    adapter,
    `${cpu} x ${cpus}`,
    platform,
    ...named,
    ...(commit === undefined ? [] : [`commit ${commit}`]),
  ].join('; ');
}

/** Columns padded to one width: readable as it is, and Markdown. */
export function markdownTable(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`;
  return [line(headings), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)];
}

function cells({
  model,
  dims,
  runner,
  timing,
  loadMs,
  firstRunMs,
  ratio,
  difference,
  note,
}: BenchRow): string[] {
  if (timing === undefined) return [model, dims.join('x'), runner, note === undefined ? '-' : 'refused'];
  return [
    model,
    dims.join('x'),
    runner,
    milliseconds(timing.medianMs),
    milliseconds(timing.minMs),
    milliseconds(timing.maxMs),
    `${(timing.spread * 100).toFixed(0)} %`,
    milliseconds(firstRunMs),
    milliseconds(loadMs),
    ratio === undefined ? '' : ratio.toFixed(2),
    difference === undefined ? '' : difference.toExponential(1),
  ];
}

/** Three significant digits, never in powers of ten. */
export function milliseconds(value: number | undefined): string {
  if (value === undefined) return '';
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
  return value.toFixed(digits);
}
