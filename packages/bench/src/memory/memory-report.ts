/** Peak GPU memory as text. */
import { environmentLines } from '../report.ts';
import { type DrawTable, drawMarkdown, type ReportColumn } from '../report-column.ts';
import type { DriverSource, MemoryReport, MemoryRow } from './bench-memory.ts';

const COLUMNS: readonly ReportColumn<MemoryRow>[] = [
  { title: 'model', text: ({ model }) => model, least: 12 },
  { title: 'input', text: ({ dims }) => dims.join('x') },
  { title: 'runner', text: ({ runner }) => runner },
  { title: 'driver MiB', align: 'right', text: ({ driverBytes }) => mebibytes(driverBytes) },
  { title: 'own count MiB', align: 'right', text: ({ ownBytes }) => mebibytes(ownBytes) },
];

const SOURCES: Readonly<Record<DriverSource, string>> = {
  process: 'driver: its figure for the process, less that of an idle one with a device',
  device:
    'driver: used memory of the GPUs, less that beside an idle process with a device;\nthe driver does not list these processes, so what others do there counts too',
  none: 'driver: it cannot be asked on this adapter, so there is our own count alone',
};

export function formatMemoryReport(report: MemoryReport, draw: DrawTable = drawMarkdown): string {
  const notes = report.rows.flatMap(({ model, dims, runner, note }) =>
    note === undefined ? [] : [`${model} ${dims.join('x')}, ${runner}: ${note}`],
  );
  return [
    ...environmentLines(report.environment),
    `peaks of loading and two runs, a process each; mode ${report.mode}`,
    SOURCES[report.driverSource],
    'own count: all buffers of the device at one time, weights and staging included',
    '',
    draw(report.rows, COLUMNS),
    ...(notes.length === 0 ? [] : ['', ...notes]),
  ].join('\n');
}

function mebibytes(bytes: number | undefined): string {
  return bytes === undefined ? '-' : (bytes / 2 ** 20).toFixed(1);
}
