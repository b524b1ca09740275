/** The trace holds to the format: names of tracks, times that rise, no negative durations, no overlap on a track. */
import { describe, expect, it } from 'vitest';
import { fixtureReport } from '../test/fixture-report.ts';
import { chromeTrace, type TraceEvent } from './chrome-trace.ts';

const report = fixtureReport({ ceilings: true });
const { traceEvents } = chromeTrace(report);
const spans = traceEvents.filter(({ ph }) => ph === 'X');
const track = (name: string, events = traceEvents): readonly TraceEvent[] => {
  const named = events.find((event) => event.name === 'thread_name' && event.args.name === name);
  return named === undefined ? [] : events.filter(({ ph, tid }) => ph === 'X' && tid === named.tid);
};

describe('chromeTrace', () => {
  it('survives JSON, names its process and its tracks', () => {
    expect(JSON.parse(JSON.stringify(chromeTrace(report))).traceEvents).toHaveLength(traceEvents.length);
    const names = traceEvents.filter(({ ph }) => ph === 'M').map(({ args }) => args.name);
    expect(names).toEqual(expect.arrayContaining(['onegpu', 'host', 'GPU (Test adapter)']));
  });

  it('has times that are finite, never negative and never fall', () => {
    const timed = traceEvents.filter(({ ph }) => ph !== 'M');
    for (const [index, { ts, dur = 0 }] of timed.entries()) {
      expect(Number.isFinite(ts) && ts >= (timed[index - 1]?.ts ?? 0)).toBe(true);
      expect(Number.isFinite(dur) && dur >= 0).toBe(true);
    }
  });

  it('has one event a row on the GPU, none of which overlap, with what the row holds', () => {
    const rows = track('GPU (Test adapter)');
    expect(rows.map(({ args }) => args.row)).toEqual(report.rows.map(({ index }) => index));
    rows.forEach(({ ts }, index) => {
      const before = rows[index - 1];
      const end = before === undefined ? 0 : before.ts + (before.dur ?? 0);
      expect(Math.round(ts * 1000)).toBeGreaterThanOrEqual(Math.round(end * 1000));
    });
    expect(rows[0]).toMatchObject({
      name: report.rows[0]?.label,
      dur: (report.rows[0]?.medianMs ?? 0) * 1000,
      args: { nodes: report.rows[0]?.nodes, shape: '1x64x56x56', gflops: report.rows[0]?.gflops },
    });
    expect(rows[12]).toMatchObject({ dur: 0, args: { time: '< resolution' } });
  });

  it('has the parts of a run on the host, the GPU beginning where they have submitted', () => {
    const host = track('host');
    expect(host.map(({ name }) => name)).toEqual(['upload', 'submit', 'encode the next', 'wait', 'download']);
    expect(spans.find(({ args }) => args.row === 0)?.ts).toBe(host[2]?.ts);
  });

  it('counts the live bytes of every arena, and none at the end', () => {
    const counters = traceEvents.filter(({ ph }) => ph === 'C');
    expect(counters).toHaveLength(report.rows.length + 1);
    expect(counters[1]?.args).toEqual({ 'arena 0': 3 * 2 ** 20, 'arena 1': 3 * 2 ** 20, 'arena 2': 0 });
    expect(counters.at(-1)?.args).toEqual({ 'arena 0': 0, 'arena 1': 0, 'arena 2': 0 });
  });

  it('has the host alone where no row was timed', () => {
    const untimed = chromeTrace(fixtureReport({ timed: false }));
    expect(track('GPU (Test adapter)', [...untimed.traceEvents])).toEqual([]);
    expect(track('host', [...untimed.traceEvents])).toHaveLength(5);
    expect(untimed.otherData.notes).toContain('no timestamps');
  });
});
