/** Tables stay within the width given, keep what matters most, and show everything where there is room. */
import { describe, expect, it } from 'vitest';
import { type Column, formatTable } from './table.ts';

interface Row {
  readonly label: string;
  readonly node: string;
  readonly ms: number;
}

const columns: readonly Column<Row>[] = [
  { title: 'label', text: (row) => row.label, least: 12 },
  { title: 'node', text: (row) => row.node, least: 8, importance: 1 },
  { title: 'ms', text: (row) => row.ms.toFixed(2), align: 'right' },
];
const rows: readonly Row[] = [
  {
    label: 'conv/implicit-gemm/f32/64x64x16/bias+relu',
    node: '/backbone/stage1/block0/conv1/Conv',
    ms: 12.5,
  },
  { label: 'add', node: 'n', ms: 0.125 },
];

describe('formatTable', () => {
  it.each([30, 40, 60, 80])('is at most %i wide', (width) => {
    for (const line of formatTable(rows, columns, width).split('\n'))
      expect(line.length).toBeLessThanOrEqual(width);
  });

  it('drops the least important column first and marks what it shortens', () => {
    const narrow = formatTable(rows, columns, 24);
    expect(narrow).not.toContain('node');
    expect(narrow).toContain('…');
    expect(narrow).toContain('12.50');
  });

  it('shows everything where there is room', () => {
    const wide = formatTable(rows, columns, 120);
    expect(wide).toContain('conv/implicit-gemm/f32/64x64x16/bias+relu');
    expect(wide).toContain('/backbone/stage1/block0/conv1/Conv');
    expect(wide.split('\n')).toHaveLength(3);
  });
});
