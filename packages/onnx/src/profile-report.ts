/**
 * What `session.profile` gives: the time of every layer, the parts of a run on the host, and the memory it lies in.
 * Plain data that survives JSON; `docs/profile.md` documents every field, `profile.schema.json` checks it. Times are
 * milliseconds, sizes bytes, rates 10^9 a second. A field that is not known is absent, never zero.
 */
import type { NumericMode } from '@onegpu/kernels/core';

/** Names this shape of report; another shape gets another number. */
export const PROFILE_SCHEMA = 'onegpu-profile/1' as const;

export interface ProfileReport {
  readonly schema: typeof PROFILE_SCHEMA;
  readonly adapter: string;
  readonly mode: NumericMode;
  /** Dims of every fed input. */
  readonly inputs: Readonly<Record<string, readonly number[]>>;
  /** Profiled runs; as many unprofiled ones were timed beside them. */
  readonly runs: number;
  /** In the order they run. */
  readonly rows: readonly ProfileRow[];
  readonly totals: ProfileTotals;
  readonly host: HostTimes;
  readonly memory: ProfileMemory;
  /** Smallest step between two timestamps that was seen; absent without timestamps. */
  readonly resolutionMs?: number;
  /** Attached by `attachCeilings`. */
  readonly ceilings?: Ceilings;
  /** What a reader should know about these numbers. */
  readonly notes: readonly string[];
}

/** One step of the plan: a node with what was fused into it, or a layout conversion. */
export interface ProfileRow {
  readonly index: number;
  /** Names of the model's nodes the row covers; empty for a layout conversion. */
  readonly nodes: readonly string[];
  /** ONNX operators of those nodes, one each. */
  readonly nodeOperators: readonly string[];
  /** Parts beyond the operator itself, in the order they apply: `pad`, `bias`, `residual`, `affine`, `relu`, ... */
  readonly fused: readonly string[];
  readonly operator: string;
  readonly algorithm: string;
  /** `operator/algorithm/type/tile/epilogue`. */
  readonly label: string;
  /** Label of what the rules choose, where tuning found what runs to be quicker. */
  readonly tunedFrom?: string;
  /** Dims of the first output. */
  readonly shape: readonly number[];
  readonly dispatches: number;
  /** Begin in the run whose span is the median, from that run's first begin. */
  readonly beginMs?: number;
  /** Median of the runs, outliers trimmed; absent without timestamps and where `belowResolution`. */
  readonly medianMs?: number;
  readonly p90Ms?: number;
  /** Part of the sum of all rows, 0 to 1. */
  readonly share?: number;
  /** Floating-point operations the problem needs; a multiply-add counts two. */
  readonly flops: number;
  /** Bytes that must move at least once. */
  readonly bytes: number;
  /** 10^9 floating-point operations a second. */
  readonly gflops?: number;
  /** 10^9 bytes a second, of the bytes that must move. */
  readonly gbps?: number;
  /** The timestamps could not tell the row's time from zero: shown as `< resolution`. */
  readonly belowResolution?: boolean;
  /** Set by `attachCeilings`. */
  readonly ceiling?: RowCeiling;
}

export interface ProfileTotals {
  /** Sum of the rows' medians. */
  readonly gpuMs?: number;
  /** Last end minus first begin of a profiled run, gaps included; median. */
  readonly spanMs?: number;
  /** The same of an unprofiled run: timestamps only at its begin and at its end. */
  readonly unprofiledSpanMs?: number;
  /** Cost of a compute pass of its own: (spanMs - unprofiledSpanMs) over the passes more; below zero is noise. */
  readonly passMs?: number;
  /** Wall clock of an unprofiled `run`, dense tensors in and out. */
  readonly wallMs: number;
  readonly profiledWallMs: number;
  readonly flops: number;
  readonly bytes: number;
}

/** Medians of the unprofiled runs; together they are the run. */
export interface HostTimes {
  /** Inputs handed to the queue. */
  readonly uploadMs: number;
  readonly submitMs: number;
  /** The next run's commands, while the GPU works: a run finds its own encoded by the one before it. */
  readonly encodeMs: number;
  /** From submit until the results are mapped, without `encodeMs`: the rest of the GPU's work is in here. */
  readonly waitMs: number;
  /** Results copied out of the mapped buffer. */
  readonly downloadMs: number;
}

export interface ProfileMemory {
  /** All arenas. */
  readonly arenaBytes: number;
  readonly peakBytes: number;
  /** Most bytes alive during one dispatch: no plan needs less. */
  readonly lowerBoundBytes: number;
  /** Constants on the GPU, as packed for the kernels. */
  readonly weightBytes: number;
  readonly arenas: readonly { readonly bytes: number }[];
  readonly tensors: readonly PlacedTensor[];
}

/** A value, or scratch, in its arena from its first row to its last, both included. */
export interface PlacedTensor {
  readonly name: string;
  readonly arena: number;
  readonly byteOffset: number;
  readonly bytes: number;
  readonly firstRow: number;
  readonly lastRow: number;
}

/** How much of what the adapter was measured to do a row reaches, and which of its limits is nearest. */
export interface RowCeiling {
  /** 0 to about 1; more is possible where caches beat the copy that was measured. */
  readonly fraction: number;
  readonly bound: 'arithmetic' | 'memory' | 'dispatch';
}

/** What an adapter was measured to do at best. */
export interface Ceilings {
  readonly adapter: string;
  readonly driver: string;
  /** Bytes read and written by a large copy, 10^9 a second. */
  readonly copyGbps: number;
  readonly f32Gflops: number;
  readonly f16Gflops?: number;
  /** Microseconds of one dispatch that does nothing. */
  readonly dispatchUs: number;
  /** ISO 8601. */
  readonly measuredAt: string;
}
