/**
 * Tables for terminals: columns that fit their content, dropped or shortened from the least important one so that
 * no line is wider than the terminal. Drawn with cli-table3, without borders.
 */
import Table from 'cli-table3';

export interface Column<Row> {
  readonly title: string;
  readonly align?: 'left' | 'right';
  readonly text: (row: Row) => string;
  /** Narrowest width at which a long text is still shown; an ellipsis marks the cut. Absent: never shortened. */
  readonly least?: number;
  /** Where a long text is cut; its end by default. */
  readonly shorten?: 'end' | 'middle';
  /** Columns of a higher number go first where the terminal is narrow; 0 stays always. */
  readonly importance?: number;
}

/** Width where standard output is no terminal. */
export const DEFAULT_WIDTH = 80;

/** Columns of the terminal behind standard output, or `COLUMNS`, or 80. */
export function terminalWidth(): number {
  const columns = process.stdout.columns ?? Number(process.env.COLUMNS);
  return Number.isSafeInteger(columns) && columns > 0 ? columns : DEFAULT_WIDTH;
}

const GAP = 2;
const NO_BORDER = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid', 'middle'].flatMap((name) =>
    ['', '-mid', '-left', '-right'].map((part) => [`${name}${part}`, '']),
  ),
);

/** The table as text without a final newline; no line is longer than `width` where the columns allow it. */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width = terminalWidth(),
): string {
  const cells = new Map(columns.map((column) => [column, rows.map((row) => column.text(row))]));
  const layout = fitColumns(
    columns.map((column) => ({ column, natural: naturalWidth(column, cells.get(column) ?? []) })),
    width,
  );
  const table = new Table({
    head: layout.map(({ column }) => column.title),
    chars: { ...NO_BORDER, middle: ' '.repeat(GAP) },
    colWidths: layout.map((entry) => entry.width),
    colAligns: layout.map(({ column }) => column.align ?? 'left'),
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    truncate: '…',
  });
  rows.forEach((_, index) => {
    table.push(
      layout.map(({ column, width }) => {
        const text = cells.get(column)?.[index] ?? '';
        return column.shorten === 'middle' ? withoutMiddle(text, width) : text;
      }),
    );
  });
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Labels differ at their ends: `conv/registe…/4x16/bias+relu`. */
function withoutMiddle(text: string, width: number): string {
  if (text.length <= width) return text;
  const head = Math.floor((width - 1) / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (width - 1 - head))}`;
}

interface Fitted<Row> {
  readonly column: Column<Row>;
  readonly width: number;
}

function naturalWidth<Row>(column: Column<Row>, cells: readonly string[]): number {
  return cells.reduce((widest, cell) => Math.max(widest, cell.length), column.title.length);
}

/** Drops columns while even their least widths do not fit, then shortens the widest elastic ones. */
function fitColumns<Row>(
  given: readonly { readonly column: Column<Row>; readonly natural: number }[],
  width: number,
): readonly Fitted<Row>[] {
  const columns = [...given];
  const least = (entry: (typeof columns)[number]): number =>
    Math.min(entry.natural, entry.column.least ?? entry.natural);
  const total = (widths: readonly number[]): number =>
    widths.reduce((sum, value) => sum + value, 0) + GAP * (widths.length - 1);
  while (total(columns.map(least)) > width) {
    const importances = columns.map(({ column }) => column.importance ?? 0);
    const worst = Math.max(...importances);
    if (worst === 0) break;
    columns.splice(importances.lastIndexOf(worst), 1);
  }
  const widths = columns.map((entry) => entry.natural);
  while (total(widths) > width) {
    const widest = widestElastic(widths, columns.map(least));
    if (widest < 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return columns.map(({ column }, index) => ({ column, width: widths[index] ?? 0 }));
}

function widestElastic(widths: readonly number[], least: readonly number[]): number {
  let widest = -1;
  widths.forEach((width, index) => {
    if (width > (least[index] ?? 0) && width > (widths[widest] ?? 0)) widest = index;
  });
  return widest;
}
