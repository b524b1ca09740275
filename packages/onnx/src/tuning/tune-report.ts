/** What tuning a model found, as plain data that survives JSON; docs/tuning.md documents it. Times are microseconds. */
import type { TimeSource } from '@onegpu/core';
import type { LayerChoice, Layout } from '@onegpu/kernels/core';
import type { InputDims } from '../feeds.ts';
import type { TunedLayer } from './tune-layers.ts';

export const TUNE_REPORT_SCHEMA = 'onegpu-tune/1' as const;

/** Name of the warning about a document of choices that was passed over, or not written. */
export const TUNING_WARNING = 'TuningWarning';

/** One way to run a layer. */
export interface TuneReportKernel extends LayerChoice {
  /** As in profiles, `conv/implicit-gemm/f32/64x64x16/8x4/bias+relu`. */
  readonly label: string;
  /** Of one run; absent where it is unmeasured. */
  readonly us?: number;
}

export interface TuneReportLayer {
  /** The model's nodes that are this layer, those fused into it among them. */
  readonly nodes: readonly string[];
  readonly operator: string;
  /** Dims of the output. */
  readonly shape: readonly number[];
  readonly layout: Layout;
  /** Steps of the plan that are this layer. */
  readonly count: number;
  readonly state: TunedLayer['state'];
  /** Choices timed now. */
  readonly tried: number;
  /** What the rules choose. */
  readonly rule: TuneReportKernel;
  /** What runs from now on; equal to `rule` where nothing is quicker by 3 %. */
  readonly tuned: TuneReportKernel;
  readonly notes: readonly string[];
}

export interface TuneReport {
  readonly schema: typeof TUNE_REPORT_SCHEMA;
  readonly adapter: string;
  readonly inputs: InputDims;
  readonly timeSource: TimeSource;
  /** Distinct layers in the order they first run. */
  readonly layers: readonly TuneReportLayer[];
  /** Sums over measured and kept layers, each times its count. */
  readonly totals: {
    /** Steps of the plan that can be tuned, measured or not. */
    readonly steps: number;
    readonly ruleUs: number;
    readonly tunedUs: number;
  };
  readonly seconds: number;
  /** Where the choices are kept; absent where there is no cache. */
  readonly place?: string;
  /** A document that was passed over, or could not be written. */
  readonly warnings: readonly string[];
}
