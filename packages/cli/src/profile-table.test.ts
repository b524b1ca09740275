/** The per-layer table at 80 columns and wider, with and without timestamps. */

import type { ProfileReport, ProfileRow } from '@onegpu/onnx';
import { describe, expect, it } from 'vitest';
import { formatProfile } from './profile-table.ts';

const row = (index: number, given: Partial<ProfileRow> = {}): ProfileRow => ({
  index,
  nodes: [`/backbone/layer${index}/conv1/Conv`, `/backbone/layer${index}/relu/Relu`],
  nodeOperators: ['Conv', 'Relu'],
  fused: ['bias', 'relu'],
  operator: 'conv',
  algorithm: 'implicit-gemm',
  label: 'conv/implicit-gemm/f32/64x64x16/bias+relu',
  shape: [1, 256, 56, 56],
  dispatches: 1,
  medianMs: 12.3456,
  p90Ms: 130.5,
  share: 0.25,
  flops: 1e9,
  bytes: 1e6,
  gflops: 81.02,
  gbps: 0.08,
  ...given,
});

const report = (rows: readonly ProfileRow[]): ProfileReport => ({
  schema: 'onegpu-profile/1',
  adapter: 'adapter',
  mode: 'fast',
  inputs: { x: [1, 3, 224, 224] },
  runs: 5,
  rows,
  totals: {
    ...(rows[0]?.medianMs === undefined ? {} : { gpuMs: rows[0].medianMs }),
    spanMs: 50,
    wallMs: 60,
    profiledWallMs: 70,
    flops: 4e9,
    bytes: 4e6,
  },
  host: { uploadMs: 1, encodeMs: 2, submitMs: 3, waitMs: 54, downloadMs: 5 },
  memory: { arenaBytes: 1, peakBytes: 1, lowerBoundBytes: 1, weightBytes: 0, arenas: [], tensors: [] },
  notes: ['a remark'],
});

describe('formatProfile', () => {
  it.each([80, 100, 160])('stays within %i columns', (width) => {
    const rows = Array.from({ length: 120 }, (_, index) => row(index));
    const [table = ''] = formatProfile(report(rows), width).split('\n\n');
    for (const line of table.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
    expect(table.split('\n')).toHaveLength(121);
    for (const title of ['kernel', 'output', 'ms', '%', 'GFLOP/s']) expect(table).toContain(title);
    expect(table.includes('nodes')).toBe(width >= 160);
  });

  it('sums by algorithm, slowest first, and tells the whole run', () => {
    const pool = row(2, { operator: 'pool', algorithm: 'window', medianMs: 90, share: 0.5 });
    const text = formatProfile(report([row(0), row(1), pool]), 100);
    const sums = text.split('\n\n')[1] ?? '';
    expect(sums.indexOf('pool/window')).toBeLessThan(sums.indexOf('conv/implicit-gemm'));
    expect(sums).toMatch(/conv\/implicit-gemm +2 +24\.691 +50\.0/);
    expect(text).toContain(
      'whole run 60.000 ms\nupload 1.000 ms, encode 2.000 ms, submit 3.000 ms, wait 54.000 ms',
    );
    expect(text).toContain('note: a remark');
  });

  it('shows dashes where the adapter has no timestamps', () => {
    const { medianMs, p90Ms, share, gflops, gbps, ...untimed } = row(0);
    const text = formatProfile(report([untimed]), 80);
    expect(text).toContain(' - ');
    expect(text).not.toContain('operator/algorithm');
  });
});
