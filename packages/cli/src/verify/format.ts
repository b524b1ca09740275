/** A verification as text: the worst nodes as a table that fits the terminal, the whole model, the verdict. */
import type { VerifiedNode, VerifiedOutput, VerifyReport } from '@onegpu/onnx/verify';
import { fitCommand } from '../fit-lines.ts';
import { type Column, formatTable, terminalWidth } from '../table.ts';

export interface VerificationForm {
  readonly model: string;
  /** Every node in topological order instead of the worst ones first. */
  readonly all: boolean;
  /** The command that runs the case written for the first node past its bound. */
  readonly rerun: string | undefined;
}

/** Rows printed where not all are asked for. */
const WORST_ROWS = 20;

/** Width of the columns beside the name, about. */
const FIGURES_WIDTH = 43;

const nodeColumns = (width: number): readonly Column<VerifiedNode>[] => [
  { title: '#', align: 'right', text: (row) => String(row.index) },
  { title: 'node', text: (row) => shortName(row.name, Math.max(width - FIGURES_WIDTH, 24)), least: 30 },
  { title: 'operator', text: (row) => row.operator, least: 8 },
  { title: 'output', text: (row) => row.dims.join('x'), importance: 3 },
  { title: 'kernel', text: (row) => kernelOf(row), least: 16, importance: 4 },
  { title: 'error', align: 'right', text: errorText },
  { title: 'bound', align: 'right', text: boundText, importance: 1 },
  { title: 'of bound', align: 'right', text: shareText },
];

const WHOLE_COLUMNS: readonly Column<VerifiedOutput>[] = [
  { title: 'whole model, output', text: (row) => row.name, least: 12 },
  { title: 'shape', text: (row) => row.dims.join('x'), importance: 1 },
  { title: 'error', align: 'right', text: (row) => exponent(row.error) },
  { title: 'bound', align: 'right', text: (row) => (row.bound === 0 ? 'bits' : exponent(row.bound)) },
  { title: 'of bound', align: 'right', text: (row) => percent(row.share) },
];

export function formatVerification(
  report: VerifyReport,
  form: VerificationForm,
  width = terminalWidth(),
): string {
  return [
    form.model,
    `${report.adapter}, ${report.mode} mode`,
    '',
    ...nodeLines(report.nodes, form.all, width),
    '',
    formatTable(report.whole, WHOLE_COLUMNS, width),
    ...unfusedLines(report, width),
    '',
    ...verdict(report, form, width),
    timeLine(report),
  ].join('\n');
}

function nodeLines(nodes: readonly VerifiedNode[], all: boolean, width: number): readonly string[] {
  const onGpu = nodes.filter((row) => row.runsOn === 'gpu');
  const worst = onGpu.toSorted((a, b) => b.share - a.share || b.error - a.error).slice(0, WORST_ROWS);
  const rows = all ? nodes : worst;
  const hidden = onGpu.length - worst.length;
  const notes = onGpu.flatMap((row) => specialValues(row));
  return [
    rows.length === 0 ? 'no node runs on the GPU' : formatTable(rows, nodeColumns(width), width),
    ...(all || hidden === 0 ? [] : [`${hidden} more nodes are nearer to float64; --all prints them`]),
    ...hostLine(nodes),
    ...notes,
  ];
}

/** What runs on the host, counted by operator. */
function hostLine(nodes: readonly VerifiedNode[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { runsOn, operator } of nodes) {
    if (runsOn === 'host') counts.set(operator, (counts.get(operator) ?? 0) + 1);
  }
  if (counts.size === 0) return [];
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const parts = [...counts].map(([operator, count]) => `${operator} ${count}`);
  return [`evaluated on the host, not on the GPU: ${total} nodes (${parts.join(', ')})`];
}

function specialValues({ name, outputs }: VerifiedNode): readonly string[] {
  return outputs.flatMap(({ nan, infinite, worst, error }) => {
    if (nan + infinite === 0) return [];
    const differs =
      Number.isFinite(error) || worst === undefined ? 'the GPU has the same' : 'the GPU differs';
    return [
      `${name}: in float64 ${nan} elements are NaN, ${infinite} infinite or beyond float32; ${differs}`,
    ];
  });
}

function unfusedLines({ wholeUnfused }: VerifyReport, width: number): readonly string[] {
  if (wholeUnfused === undefined) return [];
  return ['without fusions:', formatTable(wholeUnfused, WHOLE_COLUMNS, width)];
}

function verdict(report: VerifyReport, { rerun }: VerificationForm, width: number): readonly string[] {
  const row = report.nodes.find((node) => !node.passed);
  if (row === undefined) {
    return [
      report.passed
        ? 'every node and the whole model are within their bounds'
        : 'every node alone is within its bound, the whole model is not: ' +
          'a fusion is wrong, or the model makes small errors larger',
    ];
  }
  const past = report.nodes.filter((node) => !node.passed).length;
  const output = row.outputs.find((entry) => !entry.passed);
  const element =
    output?.worst === undefined
      ? []
      : [
          `  ${output.name}[${output.worst.at.join(', ')}] is ${output.worst.got}, in float64 ${output.worst.expected}`,
        ];
  return [
    `${past} of ${report.nodes.length} nodes are past their bounds, in topological order the first is`,
    `  ${row.operator} "${row.name}", error ${errorText(row)}, bound ${boundText(row)}`,
    ...element,
    ...row.kernels.map((kernel) => `  kernel ${kernel}`),
    ...(rerun === undefined
      ? []
      : ['written as a case of one operator; run it with', fitCommand(rerun, '  ', width)]),
  ];
}

function timeLine({ times }: VerifyReport): string {
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  return (
    `time: float64 ${seconds(times.referenceMs)}, nodes on the GPU ${seconds(times.nodesMs)}, ` +
    `whole model ${seconds(times.wholeMs)}`
  );
}

/** Names are paths: their end tells nodes apart. */
function shortName(name: string, length: number): string {
  return name.length <= length ? name : `…${name.slice(1 - length)}`;
}

function kernelOf({ kernels }: VerifiedNode): string {
  return kernels.filter((label) => !label.startsWith('convert-layout')).join(' ');
}

function errorText(row: VerifiedNode): string {
  if (row.runsOn === 'host') return 'host';
  return row.bound === 0 && row.passed ? '0' : exponent(row.error);
}

function boundText(row: VerifiedNode): string {
  if (row.runsOn === 'host') return '';
  return row.bound === 0 ? 'bits' : exponent(row.bound);
}

function shareText(row: VerifiedNode): string {
  return row.runsOn === 'host' ? '' : percent(row.share);
}

function exponent(value: number): string {
  if (value === 0) return '0';
  return Number.isFinite(value) ? value.toExponential(1) : 'infinite';
}

function percent(share: number): string {
  if (share === Number.POSITIVE_INFINITY) return 'differs';
  return share > 9.95
    ? `${share < 1e4 ? share.toFixed(0) : share.toExponential(0)}x`
    : `${(share * 100).toFixed(0)} %`;
}
