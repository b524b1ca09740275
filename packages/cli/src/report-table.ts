/** How the tables of a benchmark are drawn: fitted to a terminal, Markdown with every column elsewhere. */
import { drawMarkdown, type ReportColumn } from '@onegpu/bench';
import { formatTable } from './table.ts';

export function drawReportTable<Row>(rows: readonly Row[], columns: readonly ReportColumn<Row>[]): string {
  return process.stdout.isTTY === true ? formatTable(rows, columns) : drawMarkdown(rows, columns);
}
