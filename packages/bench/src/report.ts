/** A benchmark's rows as text; JSON is the report itself. */
import type { BenchEnvironment } from './environment.ts';
import { type DrawTable, drawMarkdown, milliseconds, type ReportColumn } from './report-column.ts';
import { type BenchReport, type BenchRow, RUNS_A_TURN, SETTLE_MS } from './run-benchmark.ts';

const COLUMNS: readonly ReportColumn<BenchRow>[] = [
  { title: 'model', text: ({ model }) => model, least: 12 },
  { title: 'input', text: ({ dims }) => dims.join('x') },
  { title: 'runner', text: ({ runner }) => runner },
  { title: 'median', align: 'right', text: medianText },
  { title: 'min', align: 'right', text: ({ timing }) => milliseconds(timing?.minMs), importance: 3 },
  { title: 'max', align: 'right', text: ({ timing }) => milliseconds(timing?.maxMs), importance: 4 },
  { title: 'spread', align: 'right', text: ({ timing }) => spreadText(timing?.spread), importance: 1 },
  { title: 'ratio', align: 'right', text: ({ ratio }) => ratio?.toFixed(2) ?? '' },
  { title: 'images/s', align: 'right', text: (row) => milliseconds(row.imagesPerSecond) },
  { title: 'ready', align: 'right', text: ({ readyMs }) => milliseconds(readyMs) },
  {
    title: 'ready ratio',
    align: 'right',
    text: ({ readyRatio }) => readyRatio?.toFixed(2) ?? '',
    importance: 5,
  },
  {
    title: 'difference',
    align: 'right',
    text: ({ difference }) => difference?.toExponential(1) ?? '',
    importance: 2,
  },
];

/** The environment, how it was measured, then one row a model, batch and runner. */
export function formatBenchReport(
  { environment, options, rows }: BenchReport,
  draw: DrawTable = drawMarkdown,
): string {
  const notes = rows.flatMap(({ model, dims, runner, note }) =>
    note === undefined ? [] : [`${model} ${dims.join('x')}, ${runner}: ${note}`],
  );
  const columns = options.throughput ? COLUMNS : COLUMNS.filter(({ title }) => title !== 'images/s');
  const turns =
    options.peers.length === 0 ? '' : `, in turns of ${RUNS_A_TURN} behind ${SETTLE_MS} ms of load`;
  return [
    ...environmentLines(environment),
    `${options.runs} runs after ${1 + options.warmup}${turns}; mode ${options.mode}${options.tune ? ', tuned' : ''}`,
    'ms of run(), host tensors in and out; ready: device, session and first run',
    "ratios: the peer's time / ours; difference: max|y - r| / max|r|",
    ...(options.throughput ? ["images/s: ours of runMany(), a peer's of run() after run()"] : []),
    '',
    draw(rows, columns),
    ...(notes.length === 0 ? [] : ['', ...notes]),
  ].join('\n');
}

/** What a measurement was made on and with, on lines of at most about 80 columns. */
export function environmentLines(environment: BenchEnvironment): readonly string[] {
  const { adapter, driver, cpu, cpus, platform, versions, commit } = environment;
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    [adapter, driver].filter((part) => part !== '').join('; '),
    `${cpu} x ${cpus}; ${platform}${commit === undefined ? '' : `; commit ${commit}`}`,
    named.join('; '),
  ];
}

/** The same on one line. */
export function formatEnvironment(environment: BenchEnvironment): string {
  return environmentLines(environment).join('; ');
}

function medianText({ timing, absent, note }: BenchRow): string {
  if (timing !== undefined) return milliseconds(timing.medianMs);
  if (absent) return 'absent';
  return note === undefined ? '-' : 'refused';
}

function spreadText(spread: number | undefined): string {
  return spread === undefined ? '' : `${(spread * 100).toFixed(0)} %`;
}
