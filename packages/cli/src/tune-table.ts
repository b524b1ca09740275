/** What tuning found, as a table that fits the terminal: the rules' kernel of each distinct layer, and the quickest one. */
import type { TuneReport, TuneReportKernel, TuneReportLayer } from '@onegpu/onnx';
import { UNKNOWN } from './figures.ts';
import { type Column, formatTable, terminalWidth } from './table.ts';

const COLUMNS: readonly Column<TuneReportLayer>[] = [
  { title: 'n', align: 'right', text: (row) => String(row.count) },
  { title: 'layer', text: (row) => `${row.operator} ${row.shape.join('x')}`, least: 12, importance: 1 },
  { title: "rules' kernel", text: ({ rule }) => kernelText(rule), least: 18, shorten: 'middle' },
  { title: 'us', align: 'right', text: ({ rule }) => microseconds(rule.us) },
  { title: 'tuned', text: tunedText, least: 18, shorten: 'middle' },
  { title: 'us', align: 'right', text: ({ tuned }) => microseconds(tuned.us) },
  { title: 'gain %', align: 'right', text: ({ rule, tuned }) => gain(rule.us, tuned.us) },
  { title: 'tried', align: 'right', text: (row) => String(row.tried), importance: 3 },
  { title: 'nodes', text: (row) => row.nodes.join(' '), least: 28, importance: 4 },
];

export function formatTuning(report: TuneReport, width = terminalWidth()): string {
  const { adapter, inputs, layers, totals, place } = report;
  const fed = Object.entries(inputs).map(([name, dims]) => `${name} ${dims.join('x')}`);
  return [
    `${adapter}, fast mode`,
    `${fed.join(', ')}; ${counts(report)}`,
    '',
    ...(layers.length === 0
      ? ['No layer of this model can run in more than one way.']
      : [formatTable(layers, COLUMNS, width), '', sums(totals)]),
    ...remarks(layers),
    place === undefined ? 'There is no cache to keep the choices in.' : `kept in ${place}`,
  ].join('\n');
}

function counts({ layers, totals, seconds }: TuneReport): string {
  const of = (state: TuneReportLayer['state']): number => layers.filter((row) => row.state === state).length;
  const states = (['measured', 'kept', 'unmeasured'] as const)
    .filter((state) => of(state) > 0)
    .map((state) => `${of(state)} ${state}`);
  return [`${totals.steps} layers, ${layers.length} distinct`, ...states, `${seconds.toFixed(1)} s`].join(
    ', ',
  );
}

function sums({ ruleUs, tunedUs }: TuneReport['totals']): string {
  const less = gain(ruleUs, tunedUs);
  return `sum, each layer n times: ${microseconds(ruleUs)} us by the rules, ${microseconds(tunedUs)} us tuned, ${less} % less`;
}

/** Why layers are unmeasured or choices failed, each reason once. */
function remarks(layers: readonly TuneReportLayer[]): readonly string[] {
  const reasons = new Map<string, number>();
  for (const text of layers.flatMap(({ notes }) => notes)) reasons.set(text, (reasons.get(text) ?? 0) + 1);
  return [...reasons].map(
    ([text, count]) => `note: ${text} (${count === 1 ? 'one layer' : `${count} layers`})`,
  );
}

function kernelText({ algorithm, configuration = '' }: TuneReportKernel): string {
  return `${algorithm} ${configuration}`.trim();
}

/** What differs from the rules' kernel. */
function tunedText({ rule, tuned, state }: TuneReportLayer): string {
  if (state === 'unmeasured') return UNKNOWN;
  if (tuned.algorithm !== rule.algorithm) return kernelText(tuned);
  return tuned.configuration === rule.configuration ? 'the same' : (tuned.configuration ?? tuned.algorithm);
}

function microseconds(us: number | undefined): string {
  if (us === undefined) return UNKNOWN;
  return us >= 1000 ? us.toFixed(0) : us.toFixed(1);
}

function gain(ruleUs: number | undefined, tunedUs: number | undefined): string {
  if (ruleUs === undefined || tunedUs === undefined || ruleUs === 0) return UNKNOWN;
  return (100 * (1 - tunedUs / ruleUs)).toFixed(1);
}
