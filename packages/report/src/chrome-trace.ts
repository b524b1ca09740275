/**
 * A profile in Chrome's trace event format, for Perfetto (ui.perfetto.dev) and chrome://tracing: a track of the host's
 * parts of a run, a track of the GPU with one complete event a row, and counters of the live arena bytes.
 * Format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
 *
 * Times are medians of several runs put one after another: an event begins where its row began in the median run, or
 * where the row before it ends if that is later, so that no two events of a track overlap. The GPU's track begins
 * where the host has submitted.
 */
import type { ProfileReport, ProfileRow } from '@onegpu/onnx';
import { BELOW_RESOLUTION } from './format-values.ts';
import { liveBytes } from './live-bytes.ts';

/** Times in microseconds. */
export interface TraceEvent {
  readonly name: string;
  /** X: a span with `dur`; C: a counter; M: names of processes and threads. */
  readonly ph: 'X' | 'C' | 'M';
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  readonly cat?: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface ChromeTrace {
  readonly traceEvents: readonly TraceEvent[];
  readonly displayTimeUnit: 'ms';
  readonly otherData: Readonly<Record<string, string>>;
}

const PID = 1;
const HOST_TRACK = 1;
const GPU_TRACK = 2;

/** Events in the order of their times, names of the tracks first; without timestamps the host's track alone. */
export function chromeTrace(report: ProfileReport): ChromeTrace {
  const { uploadMs, submitMs } = report.host;
  const submitted = nanoseconds(uploadMs) + nanoseconds(submitMs);
  const placed = placeRows(report.rows, submitted);
  const events = [...hostEvents(report), ...placed.map(rowEvent), ...arenaCounters(report, placed)];
  events.sort((a, b) => a.ts - b.ts);
  return {
    traceEvents: [...trackNames(report, placed.length > 0), ...events],
    displayTimeUnit: 'ms',
    otherData: {
      schema: report.schema,
      adapter: report.adapter,
      mode: report.mode,
      inputs: JSON.stringify(report.inputs),
      times: `medians of ${report.runs} runs; rows from profiled runs, host parts from unprofiled ones`,
      ...(report.notes.length === 0 ? {} : { notes: report.notes.join('\n') }),
    },
  };
}

/** In whole nanoseconds, the finest that viewers keep: sums are exact and events that touch do not overlap. */
interface PlacedRow {
  readonly row: ProfileRow;
  readonly begin: number;
  readonly duration: number;
}

function nanoseconds(ms: number): number {
  return Math.max(0, Math.round(ms * 1e6));
}

/** The format's unit. */
function microseconds(ns: number): number {
  return ns / 1000;
}

/** Rows with a time on one axis whose zero is the run's begin on the host. */
function placeRows(rows: readonly ProfileRow[], offset: number): readonly PlacedRow[] {
  const placed: PlacedRow[] = [];
  let end = offset;
  for (const row of rows) {
    const timed = row.medianMs !== undefined || row.beginMs !== undefined || row.belowResolution === true;
    if (!timed) continue;
    const duration = nanoseconds(row.medianMs ?? 0);
    const begin = Math.max(end, offset + nanoseconds(row.beginMs ?? 0));
    placed.push({ row, begin, duration });
    end = begin + duration;
  }
  return placed;
}

function rowEvent({ row, begin, duration }: PlacedRow): TraceEvent {
  const { label, nodes, nodeOperators, fused, shape, dispatches, flops, bytes, gflops, gbps } = row;
  return {
    name: label,
    cat: row.operator,
    ph: 'X',
    pid: PID,
    tid: GPU_TRACK,
    ts: microseconds(begin),
    dur: microseconds(duration),
    args: {
      row: row.index,
      label,
      nodes,
      nodeOperators,
      fused,
      shape: shape.join('x'),
      dispatches,
      flops,
      bytes,
      gflops,
      gbps,
      ...(row.ceiling === undefined ? {} : { ceiling: row.ceiling }),
      ...(row.belowResolution === true ? { time: BELOW_RESOLUTION } : {}),
    },
  };
}

function hostEvents({ host }: ProfileReport): TraceEvent[] {
  let begin = 0;
  const parts = Object.entries({
    upload: host.uploadMs,
    submit: host.submitMs,
    'encode the next': host.encodeMs,
    wait: host.waitMs,
    download: host.downloadMs,
  });
  return parts.map(([name, ms]) => {
    const duration = nanoseconds(ms);
    const event = { name, cat: 'host', ph: 'X', pid: PID, tid: HOST_TRACK, args: {} } as const;
    const ts = microseconds(begin);
    begin += duration;
    return { ...event, ts, dur: microseconds(duration) };
  });
}

/** A step a row, and zero where the last row ends. */
function arenaCounters(report: ProfileReport, placed: readonly PlacedRow[]): TraceEvent[] {
  const live = liveBytes(report);
  const last = placed.at(-1);
  if (last === undefined || report.memory.arenas.length === 0) return [];
  const counter = (ns: number, bytes: readonly number[]): TraceEvent => ({
    name: 'live arena bytes',
    ph: 'C',
    pid: PID,
    tid: GPU_TRACK,
    ts: microseconds(ns),
    args: Object.fromEntries(bytes.map((count, arena) => [`arena ${arena}`, count])),
  });
  const idle = report.memory.arenas.map(() => 0);
  return [
    ...placed.map(({ row, begin }) => counter(begin, live[row.index] ?? idle)),
    counter(last.begin + last.duration, idle),
  ];
}

function trackNames(report: ProfileReport, timed: boolean): TraceEvent[] {
  const name = (kind: string, tid: number, args: TraceEvent['args']): TraceEvent => {
    return { name: kind, ph: 'M', pid: PID, tid, ts: 0, args };
  };
  const track = (tid: number, text: string): TraceEvent[] => [
    name('thread_name', tid, { name: text }),
    name('thread_sort_index', tid, { sort_index: tid }),
  ];
  return [
    name('process_name', 0, { name: 'onegpu' }),
    ...track(HOST_TRACK, 'host'),
    ...(timed ? track(GPU_TRACK, `GPU (${report.adapter})`) : []),
  ];
}
