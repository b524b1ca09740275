/** Columns of a report's tables: one list feeds the terminal, which drops and shortens columns, and Markdown. */

export interface ReportColumn<Row> {
  readonly title: string;
  readonly align?: 'left' | 'right';
  readonly text: (row: Row) => string;
  /** Narrowest width at which a long text is still shown in a terminal; absent: never shortened. */
  readonly least?: number;
  /** Columns of a higher number go first where a terminal is narrow; 0 stays always. */
  readonly importance?: number;
}

/** Rows and columns as they are drawn by whoever prints them. */
export type DrawTable = <Row>(rows: readonly Row[], columns: readonly ReportColumn<Row>[]) => string;

/** Every column, as a Markdown table that reads well as it is. */
export const drawMarkdown: DrawTable = (rows, columns) =>
  markdownTable(
    columns.map(({ title }) => title),
    rows.map((row) => columns.map(({ text }) => text(row))),
    columns.map(({ align = 'left' }) => align),
  ).join('\n');

/** Columns padded to one width; numbers stand to the right. */
export function markdownTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  aligns: readonly ('left' | 'right')[] = [],
): string[] {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, 2, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string => {
    const cells = widths.map((width, column) =>
      aligns[column] === 'right' ? (row[column] ?? '').padStart(width) : (row[column] ?? '').padEnd(width),
    );
    return `| ${cells.join(' | ')} |`;
  };
  const rule = widths.map((width, column) =>
    aligns[column] === 'right' ? `${'-'.repeat(width + 1)}:` : '-'.repeat(width + 2),
  );
  return [line(headings), `|${rule.join('|')}|`, ...rows.map(line)];
}

/** Three significant digits, never in powers of ten. */
export function milliseconds(value: number | undefined): string {
  if (value === undefined) return '';
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
  return value.toFixed(digits);
}

/** A part of 1 as a percentage. */
export function percent(fraction: number | undefined): string {
  if (fraction === undefined) return '';
  const value = fraction * 100;
  return value >= 9.95 ? value.toFixed(0) : value.toFixed(1);
}
