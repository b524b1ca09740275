/** The per-layer table at 80 columns and wider, with and without timestamps and ceilings. */
import { attachCeilings } from '@onegpu/onnx/tools';
import { describe, expect, it } from 'vitest';
import { sampleReport, sampleRow, unresolvedRow, untimedRow } from '../test/profile-sample.ts';
import { formatProfile } from './profile-table.ts';

const CEILINGS = {
  adapter: 'adapter',
  driver: '1',
  copyGbps: 1600,
  f32Gflops: 162.04,
  dispatchUs: 5,
  measuredAt: '2025-01-01T00:00:00.000Z',
};

describe('formatProfile', () => {
  it.each([80, 100, 200])('stays within %i columns', (width) => {
    const rows = Array.from({ length: 120 }, (_, index) => sampleRow(index));
    const text = formatProfile(attachCeilings(sampleReport(rows), CEILINGS), width);
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
    const [table = ''] = text.split('\n\n');
    expect(table.split('\n')).toHaveLength(121);
    for (const title of ['kernel', 'output', 'ms', '%', 'GFLOP/s', '% peak']) expect(table).toContain(title);
    for (const title of ['nodes', 'fused']) expect(table.includes(title)).toBe(width >= 200);
  });

  it('shows the share of the ceilings only where they are attached', () => {
    const report = sampleReport([sampleRow(0)]);
    expect(formatProfile(report, 80)).not.toContain('peak');
    const text = formatProfile(attachCeilings(report, CEILINGS), 80);
    expect(text).toMatch(/81\.0 +0\.08 +50\.0/);
    expect(text).toContain('adapter at best  162 GFLOP/s, copies 1600 GB/s, a dispatch 5.00 us');
  });

  it('marks what tuning chose with a star', () => {
    const rows = [sampleRow(0, { tunedFrom: 'conv/direct/f32' }), sampleRow(1)];
    const [, tuned, other] = formatProfile(sampleReport(rows), 80).split('\n');
    expect([tuned?.includes(' * '), other?.includes(' * ')]).toEqual([true, false]);
  });

  it('sums by algorithm, slowest first', () => {
    const pool = sampleRow(2, { operator: 'pool', algorithm: 'window', medianMs: 90, share: 0.5 });
    const text = formatProfile(sampleReport([sampleRow(0), sampleRow(1), pool]), 100);
    const sums = text.split('\n\n')[1] ?? '';
    expect(sums.indexOf('pool/window')).toBeLessThan(sums.indexOf('conv/implicit-gemm'));
    expect(sums).toMatch(/conv\/implicit-gemm +2 +24\.691 +50\.0/);
  });

  it('sets the sum and the profiled run against the unprofiled run, and tells the cost of a pass', () => {
    const rows = [sampleRow(0, { medianMs: 30 })];
    const text = formatProfile(sampleReport(rows), 80);
    expect(text).toContain('layers, summed   30.000 ms, no more (within the noise) than the unprofiled run');
    expect(text).toContain('profiled run     50.000 ms, 25.0 % more than the unprofiled run');
    expect(text).toContain('unprofiled run   40.000 ms, 100 GFLOP/s, 0.10 GB/s');
    expect(text).toContain('cost of a pass   12.50 us');
    expect(text).toContain('wall clock       60.000 ms unprofiled, 70.000 ms profiled');
    expect(text).toContain('upload 1.000, submit 3.000, encode the next 2.000,');
    expect(text).toContain('wait 54.000, download 5.000 ms');
    expect(text).toContain('arenas 3.0 MiB (1.50 times the least possible), weights 1.0 MiB');
    expect(text).toContain('note: a remark');
  });

  it('calls a pass that costs less than nothing too small to be seen', () => {
    const { totals, ...report } = sampleReport([sampleRow(0)]);
    const text = formatProfile({ ...report, totals: { ...totals, passMs: -0.001 } }, 80);
    expect(text).toContain('cost of a pass   too small to be seen');
  });

  it('shows dashes where the adapter has no timestamps, and no totals of the GPU', () => {
    const text = formatProfile(sampleReport([untimedRow(0)]), 80);
    expect(text).toContain(' - ');
    for (const absent of ['operator/algorithm', 'cost of a pass', 'unprofiled run', 'GFLOP/s']) {
      expect(text).not.toContain(absent);
    }
    expect(text).toContain('wall clock       60.000 ms unprofiled\n');
  });

  it('shows the resolution, never zero, for what the timestamps cannot tell from zero', () => {
    const rows = [sampleRow(0), unresolvedRow(1)];
    expect(formatProfile(sampleReport(rows, { resolutionMs: 0.065536 }), 80)).toContain('< 0.066');
    expect(formatProfile(sampleReport(rows, { resolutionMs: 0.00002 }), 80)).toContain('< 0.001');
    expect(formatProfile(sampleReport(rows), 80)).toContain('< resolution');
    expect(formatProfile(sampleReport(rows), 80)).not.toContain(' 0.000');
  });
});
