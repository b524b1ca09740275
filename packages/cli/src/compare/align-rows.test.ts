/** Which rows belong together: same nodes, fused otherwise, layout conversions by label, and rows left alone. */
import type { ProfileRow } from '@onegpu/onnx';
import { describe, expect, it } from 'vitest';
import { sampleRow } from '../../test/profile-sample.ts';
import { alignRows } from './align-rows.ts';

const node = (index: number, ...nodes: string[]): ProfileRow => sampleRow(index, { nodes });
const conversion = (index: number, label: string, shape = [1]): ProfileRow =>
  sampleRow(index, { nodes: [], operator: 'convert-layout', label, shape });

/** `0=1` is a pair, `0+1=2` a group, `3=` a row of A alone. */
function outline(a: readonly ProfileRow[], b: readonly ProfileRow[]): string[] {
  const side = (rows: readonly ProfileRow[]): string => rows.map((row) => row.index).join('+');
  return alignRows(a, b).map((aligned) => `${side(aligned.a)}=${side(aligned.b)} ${aligned.by ?? 'alone'}`);
}

describe('alignRows', () => {
  it('pairs rows that cover the same nodes, wherever they stand', () => {
    const a = [node(0, 'conv', 'relu'), node(1, 'pool')];
    const b = [conversion(0, 'c'), node(1, 'conv', 'relu'), node(2, 'pool')];
    expect(outline(a, b)).toEqual(['=0 alone', '0=1 nodes', '1=2 nodes']);
  });

  it('groups rows that share nodes where fusion differs', () => {
    const a = [node(0, 'conv'), node(1, 'relu'), node(2, 'pool')];
    expect(outline(a, [node(0, 'conv', 'relu'), node(1, 'pool')])).toEqual(['0+1=0 nodes', '2=1 nodes']);
    const chained = [node(0, 'conv', 'a'), node(1, 'b', 'pool')];
    expect(outline(chained, [node(0, 'conv'), node(1, 'a', 'b'), node(2, 'pool')])).toEqual([
      '0+1=0+1+2 nodes',
    ]);
  });

  it('keeps two rows of the same nodes apart by operator', () => {
    const split = [node(0, 'conv', 'add'), sampleRow(1, { nodes: ['conv', 'add'], operator: 'binary' })];
    expect(outline(split, split)).toEqual(['0=0 nodes', '1=1 nodes']);
  });

  it('pairs conversions before the same nodes first', () => {
    const a = [conversion(0, 'c'), node(1, 'x'), conversion(2, 'c'), node(3, 'y')];
    const b = [node(0, 'x'), conversion(1, 'c'), node(2, 'y')];
    expect(outline(a, b)).toEqual(['0= alone', '1=0 nodes', '2=1 label', '3=2 nodes']);
  });

  it('pairs renamed nodes by label and shape, then by label', () => {
    const a = [sampleRow(0, { nodes: ['a'], shape: [2] }), sampleRow(1, { nodes: ['b'], shape: [1] })];
    const b = [sampleRow(0, { nodes: ['c'], shape: [1] }), sampleRow(1, { nodes: ['d'], shape: [3] })];
    expect(outline(a, b)).toEqual(['0=1 label', '1=0 label']);
  });

  it('lists rows of B alone behind the row before them', () => {
    const a = [node(0, 'x'), node(1, 'y')];
    const b = [node(0, 'x'), conversion(1, 'c'), conversion(2, 'd'), node(3, 'y')];
    expect(outline(a, b)).toEqual(['0=0 nodes', '=1 alone', '=2 alone', '1=3 nodes']);
    expect(outline([], [])).toEqual([]);
  });

  it('holds every row once', () => {
    const a = Array.from({ length: 9 }, (_, index) => node(index, `n${index % 4}`, `m${index % 3}`));
    const b = Array.from({ length: 7 }, (_, index) => node(index, `n${index % 5}`));
    const groups = alignRows(a, b);
    expect(groups.flatMap((group) => group.a).sort((x, y) => x.index - y.index)).toEqual(a);
    expect(groups.flatMap((group) => group.b).sort((x, y) => x.index - y.index)).toEqual(b);
  });
});
