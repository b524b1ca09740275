/**
 * The table that the page holds already: sorted by a click or a key on a heading, filtered by words, operator and
 * fused part, its rows lit together with the charts.
 */
import type { ProfileReport, ProfileRow } from '@onegpu/onnx';
import type { RowLink } from '../charts/row-link.ts';
import { formatShape } from '../format-values.ts';

interface TableRow {
  readonly row: ProfileRow;
  readonly line: HTMLTableRowElement;
  /** What the filter's words are looked for in, in lower case. */
  readonly text: string;
}

export function liveTable(report: ProfileReport, link: RowLink): void {
  const table = document.querySelector<HTMLTableElement>('#rows');
  const body = table?.tBodies[0];
  if (table === null || body === undefined) return;
  const rows = [...body.rows].flatMap((line) => {
    const row = report.rows[Number(line.dataset.row)];
    return row === undefined ? [] : [{ row, line, text: searchText(row) }];
  });
  listenToHeads(table, body);
  listenToFilters(rows);
  linkRows(rows, link);
}

function searchText({ label, nodes, nodeOperators, fused, shape }: ProfileRow): string {
  return [label, ...nodes, ...nodeOperators, ...fused, formatShape(shape), shape.join('x')]
    .join('\n')
    .toLowerCase();
}

function listenToHeads(table: HTMLTableElement, body: HTMLTableSectionElement): void {
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  heads.forEach((head, column) => {
    head.querySelector('button')?.addEventListener('click', () => {
      const number = head.classList.contains('number');
      const first = number && column > 0 ? 'descending' : 'ascending';
      const other = first === 'ascending' ? 'descending' : 'ascending';
      const order = head.getAttribute('aria-sort') === first ? other : first;
      for (const each of heads) each.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', order);
      body.append(...sortLines([...body.rows], { column, number, order }));
    });
  });
}

interface SortRequest {
  readonly column: number;
  readonly number: boolean;
  readonly order: 'ascending' | 'descending';
}

/** Stable; rows without a value are last in both orders. */
function sortLines(
  lines: HTMLTableRowElement[],
  { column, number, order }: SortRequest,
): HTMLTableRowElement[] {
  const sign = order === 'ascending' ? 1 : -1;
  const texts = new Intl.Collator('en', { numeric: true });
  const cell = (line: HTMLTableRowElement): HTMLTableCellElement | undefined => line.cells[column];
  if (!number) {
    const text = (line: HTMLTableRowElement): string => cell(line)?.textContent ?? '';
    return lines.sort((a, b) => sign * texts.compare(text(a), text(b)));
  }
  const value = (line: HTMLTableRowElement): number => Number(cell(line)?.dataset.value ?? Number.NaN);
  return lines.sort((a, b) => {
    const [left, right] = [value(a), value(b)];
    if (Number.isNaN(left) || Number.isNaN(right))
      return Number(Number.isNaN(left)) - Number(Number.isNaN(right));
    return sign * (left - right);
  });
}

function listenToFilters(rows: readonly TableRow[]): void {
  const words = document.querySelector<HTMLInputElement>('#filter');
  const operator = document.querySelector<HTMLSelectElement>('#operator');
  const chips = [...document.querySelectorAll<HTMLButtonElement>('.chip')];
  const shown = document.querySelector('#shown');
  let part: string | undefined;
  const apply = (): void => {
    const wanted = (words?.value ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const only = operator?.value ?? '';
    let count = 0;
    for (const { row, line, text } of rows) {
      const fits =
        wanted.every((word) => text.includes(word)) &&
        (only === '' || row.operator === only) &&
        (part === undefined || row.fused.includes(part));
      line.hidden = !fits;
      if (fits) count++;
    }
    if (shown !== null)
      shown.textContent = count === rows.length ? `${count} rows` : `${count} of ${rows.length} rows`;
  };
  words?.addEventListener('input', apply);
  operator?.addEventListener('change', apply);
  for (const chip of chips) {
    chip.addEventListener('click', () => {
      part = part === chip.dataset.fused ? undefined : chip.dataset.fused;
      for (const each of chips) each.setAttribute('aria-pressed', String(each.dataset.fused === part));
      apply();
    });
  }
  apply();
}

function linkRows(rows: readonly TableRow[], link: RowLink): void {
  let picked: HTMLTableRowElement | undefined;
  for (const { row, line } of rows) {
    line.addEventListener('pointerenter', () => link.hover([row.index]));
    line.addEventListener('pointerleave', () => link.hover([]));
  }
  link.onHover((lit) => {
    for (const { row, line } of rows) line.classList.toggle('lit', lit.has(row.index));
  });
  link.onPick((index) => {
    picked?.classList.remove('picked');
    picked = rows.find(({ row }) => row.index === index)?.line;
    picked?.classList.add('picked');
    picked?.scrollIntoView({ block: 'center', behavior: 'smooth' });
  });
}
