/** Figures of two profiles, their order, what is warned of, and the table at 80 columns. */
import type { ProfileReport } from '@onegpu/onnx';
import { describe, expect, it } from 'vitest';
import { sampleReport, sampleRow, unresolvedRow, untimedRow } from '../../test/profile-sample.ts';
import { compareProfiles, type RowOrder } from './compare-profiles.ts';
import { formatComparison, labelChange } from './comparison-table.ts';

const A = sampleReport([
  sampleRow(0, { medianMs: 2 }),
  sampleRow(1, { medianMs: 4, label: 'conv/direct/f32/bias' }),
  sampleRow(2, { medianMs: 1 }),
]);
const B = sampleReport([
  sampleRow(0, { medianMs: 3 }),
  sampleRow(1, { medianMs: 1, label: 'conv/register-tile/f32/8x8/bias' }),
  sampleRow(2, { nodes: ['other'], label: 'unary/f32', medianMs: 0.5 }),
]);

const compare = (a: ProfileReport, b: ProfileReport, order: RowOrder = 'difference') =>
  compareProfiles({ file: 'a.json', profile: a }, { file: 'b.json', profile: b }, order);

describe('compareProfiles', () => {
  it('gives times, ratio and difference, the largest difference first', () => {
    const { rows, totals } = compare(A, B);
    expect(rows.map(({ ms }) => ms)).toEqual([
      { a: 4, b: 1, ratio: 0.25, difference: -3 },
      { a: 2, b: 3, ratio: 1.5, difference: 1 },
      { a: 1, difference: -1 },
      { b: 0.5, difference: 0.5 },
    ]);
    expect(totals.gpuMs).toEqual({ a: 7, b: 4.5, ratio: 4.5 / 7, difference: -2.5 });
    const sum = rows.reduce((total, { ms }) => total + (ms.difference ?? 0), 0);
    expect(sum).toBeCloseTo(totals.gpuMs.difference ?? Number.NaN);
  });

  it('keeps the order in which rows run where asked to', () => {
    const { rows } = compare(A, B, 'order');
    expect(rows.map((row) => row.a.rows[0]?.index ?? 'only B')).toEqual([0, 1, 'only B', 2]);
  });

  it('warns where adapter, mode, model or inputs differ', () => {
    expect(compare(A, A).warnings).toEqual([]);
    const other = sampleReport(B.rows, { adapter: 'another', mode: 'deterministic', inputs: { x: [1] } });
    expect(compare(A, other).warnings).toEqual([
      'the adapters differ: adapter in A, another in B',
      'the numeric modes differ: fast in A, deterministic in B',
      'the inputs differ: x 1x3x224x224 in A, x 1 in B',
    ]);
  });

  it('knows no ratio of rows without times, and warns of them', () => {
    const { rows, warnings } = compare(sampleReport([untimedRow(0)]), sampleReport([sampleRow(0)]));
    expect(rows[0]?.ms).toEqual({ b: 12.3456 });
    expect(warnings).toEqual(['A has no times of single layers']);
  });
});

describe('formatComparison', () => {
  it.each([80, 120, 200])('stays within %i columns', (width) => {
    const text = formatComparison(compare(A, B), width);
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
    for (const title of ['A ms', 'B ms', 'B/A', 'B-A ms']) expect(text).toContain(title);
    expect(text.includes('nodes')).toBe(width >= 120);
  });

  it('tells the change of a kernel, rows alone, facts and totals', () => {
    const text = formatComparison(compare(A, B), 80);
    expect(text).toMatch(/conv: direct\/f32\/bias > register-tile\S* +4\.000 +1\.000 +0\.250 +-3\.000/);
    expect(text).toMatch(/1\.000 +- +only A +-1\.000/);
    expect(text).toMatch(/- +0\.500 +only B +\+0\.500/);
    expect(text).toContain('A  a.json\n   x 1x3x224x224, fast mode, 5 runs\n   adapter');
    expect(text).toMatch(/layers, summed +7\.000 ms +4\.500 ms +0\.643 +-2\.500 ms/);
    expect(text).toMatch(/arenas +3\.0 MiB +3\.0 MiB +1\.000 +0\.0 KiB/);
    expect(text).toContain('2 of 4 rows have no partner');
  });

  it('shows the resolution for what a profile could not tell from zero', () => {
    const unresolved = sampleReport([sampleRow(0), unresolvedRow(1)], { resolutionMs: 0.1 });
    const text = formatComparison(compare(unresolved, A), 120);
    expect(text).toMatch(/< 0\.100 +4\.000 +- +- /);
  });
});

describe('labelChange', () => {
  const side = (...labels: string[]) => ({
    rows: labels.map((label, index) => ({ index, nodes: [], label, shape: [] })),
  });

  it.each([
    [['a/b/c'], ['a/b/c'], 'a/b/c'],
    [['a/b/c'], ['a/d/c'], 'a: b/c > d/c'],
    [['a/b'], ['x/y'], 'a/b > x/y'],
    [['a/b'], [], 'a/b'],
    [[], ['x/y'], 'x/y'],
    [['a/b', 'c/d'], ['a/b/e'], 'a: b + c/d > b/e'],
    [['a/b'], ['a/b/c'], 'a: b > b/c'],
  ])('of %j and %j', (a, b, expected) => {
    expect(labelChange({ a: side(...a), b: side(...b) })).toBe(expected);
  });
});
