/** Each row under the ceilings: bound by arithmetic, by memory, by the dispatch, or without a time. */
import { expect, it } from 'vitest';
import { attachCeilings } from './profile-ceilings.ts';
import type { Ceilings, ProfileReport, ProfileRow } from './profile-report.ts';

const CEILINGS: Ceilings = {
  adapter: 'adapter',
  driver: '1',
  copyGbps: 100,
  f32Gflops: 1000,
  dispatchUs: 5,
  measuredAt: '2025-01-01T00:00:00.000Z',
};

const row = (given: Partial<ProfileRow>): ProfileRow => ({
  index: 0,
  nodes: [],
  nodeOperators: [],
  fused: [],
  operator: 'conv',
  algorithm: 'direct',
  label: 'conv/direct/f32',
  shape: [1],
  dispatches: 1,
  flops: 1,
  bytes: 1,
  ...given,
});

const report = (...rows: readonly ProfileRow[]): ProfileReport => ({
  schema: 'onegpu-profile/1',
  adapter: 'adapter',
  mode: 'fast',
  inputs: {},
  runs: 1,
  rows,
  totals: { wallMs: 1, profiledWallMs: 1, flops: 1, bytes: 1 },
  host: { uploadMs: 0, encodeMs: 0, submitMs: 0, waitMs: 0, downloadMs: 0 },
  memory: { arenaBytes: 0, peakBytes: 0, lowerBoundBytes: 0, weightBytes: 0, arenas: [], tensors: [] },
  notes: [],
});

it('names the nearer ceiling, and the dispatch for rows about as short as an empty one', () => {
  const given = report(
    row({ medianMs: 1, gflops: 500, gbps: 10 }),
    row({ medianMs: 1, gflops: 10, gbps: 25 }),
    row({ medianMs: 0.0099, gflops: 10, gbps: 25 }),
    row({ belowResolution: true }),
  );
  const { rows, ceilings } = attachCeilings(given, CEILINGS);
  expect(rows.map(({ ceiling }) => ceiling)).toEqual([
    { fraction: 0.5, bound: 'arithmetic' },
    { fraction: 0.25, bound: 'memory' },
    { fraction: 0.25, bound: 'dispatch' },
    undefined,
  ]);
  expect(ceilings).toEqual(CEILINGS);
  expect(given).not.toHaveProperty('ceilings');
  expect(given.rows[0]).not.toHaveProperty('ceiling');
});

it('replaces the ceilings of an earlier time', () => {
  const once = attachCeilings(report(row({ medianMs: 1, gflops: 500, gbps: 1 })), CEILINGS);
  const twice = attachCeilings(once, { ...CEILINGS, f32Gflops: 2000 });
  expect(twice.rows[0]?.ceiling?.fraction).toBe(0.25);
});
