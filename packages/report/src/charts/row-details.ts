/** What a tooltip says of a row: its label, the nodes it stands for, times and rates. */
import type { ProfileRow } from '@onegpu/onnx';
import {
  formatBytes,
  formatCount,
  formatMs,
  formatPercent,
  formatRate,
  formatRowTime,
  formatShape,
  shorten,
} from '../format-values.ts';
import { element } from './dom.ts';

const SHOWN_NODES = 5;
const NODE_LENGTH = 60;

export type Fact = readonly [name: string, value: string];

/** `more` is what the chart adds to the facts of every row. */
export function rowDetails(row: ProfileRow, more: readonly Fact[] = []): Node {
  return details(`${row.index}  ${row.label}`, nodeLines(row), [...rowFacts(row), ...more]);
}

/** A heading, lines under it and a list of facts. */
export function details(heading: string, lines: readonly string[], facts: readonly Fact[]): Node {
  const list = element('dl');
  for (const [name, value] of facts) list.append(element('dt', {}, name), element('dd', {}, value));
  return element(
    'div',
    {},
    element('strong', {}, shorten(heading, 120)),
    ...lines.map((line) => element('div', { class: 'onegpu-node' }, line)),
    list,
  );
}

function nodeLines({ nodes, nodeOperators }: ProfileRow): readonly string[] {
  const lines = nodes.slice(0, SHOWN_NODES).map((name, index) => {
    const operator = nodeOperators[index];
    return `${operator === undefined ? '' : `${operator}  `}${shorten(name, NODE_LENGTH)}`;
  });
  return nodes.length > SHOWN_NODES ? [...lines, `and ${nodes.length - SHOWN_NODES} more`] : lines;
}

function rowFacts(row: ProfileRow): readonly Fact[] {
  const timed = row.medianMs !== undefined;
  const facts: (Fact | undefined)[] = [
    [
      'time',
      row.belowResolution === true
        ? formatRowTime(row)
        : timed
          ? `${formatMs(row.medianMs)} ms`
          : 'not timed',
    ],
    row.p90Ms === undefined ? undefined : ['p90', `${formatMs(row.p90Ms)} ms`],
    row.share === undefined ? undefined : ['share', formatPercent(row.share)],
    ['output', formatShape(row.shape)],
    row.tunedFrom === undefined ? undefined : ['tuned, in place of', shorten(row.tunedFrom, NODE_LENGTH)],
    row.fused.length === 0 ? undefined : ['fused', row.fused.join(', ')],
    ['arithmetic', row.flops === 0 ? 'none' : `${formatCount(row.flops)}FLOP${rate(row.gflops, 'GFLOP/s')}`],
    ['must move', `${formatBytes(row.bytes)}${rate(row.gbps, 'GB/s')}`],
    row.ceiling === undefined
      ? undefined
      : ['ceiling', `${formatPercent(row.ceiling.fraction)}, bound by ${row.ceiling.bound}`],
    row.dispatches === 1 ? undefined : ['dispatches', String(row.dispatches)],
  ];
  return facts.filter((fact) => fact !== undefined);
}

function rate(value: number | undefined, unit: string): string {
  return value === undefined ? '' : ` at ${formatRate(value)} ${unit}`;
}
