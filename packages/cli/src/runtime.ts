/** What the commands ask of `@onegpu/onnx`. */
import type { GpuDevice } from '@onegpu/core';
import type { Tensor, TensorType } from '@onegpu/onnx';

export interface SessionValue {
  readonly name: string;
  readonly type: TensorType;
  readonly dims: readonly (number | string)[] | undefined;
}

export interface LoadProgress {
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

export interface SessionOptions {
  readonly device?: GpuDevice;
  readonly mode?: 'fast' | 'deterministic';
  readonly onProgress?: (progress: LoadProgress) => void;
  readonly dims?: Record<string, readonly number[]>;
}

export interface ProfileRow {
  readonly index: number;
  readonly nodes: readonly string[];
  readonly operator: string;
  readonly algorithm: string;
  readonly label: string;
  readonly shape: readonly number[];
  readonly medianMs: number | undefined;
  readonly p90Ms: number | undefined;
  readonly share: number | undefined;
  readonly gflops: number | undefined;
  readonly gbps: number | undefined;
  readonly dispatches: number;
  readonly flops: number;
  readonly bytes: number;
}

export interface ProfileReport {
  readonly adapter: string;
  readonly rows: readonly ProfileRow[];
  readonly totals: {
    readonly gpuMs: number | undefined;
    readonly spanMs: number | undefined;
    readonly wallMs: number;
    readonly profiledWallMs: number;
    readonly flops: number;
  };
  readonly schema: string;
  readonly inputs: Readonly<Record<string, readonly number[]>>;
  readonly runs: number;
  readonly memory: {
    readonly arenaBytes: number;
    readonly peakBytes: number;
    readonly lowerBoundBytes: number;
  };
  readonly host: {
    readonly uploadMs: number;
    readonly encodeMs: number;
    readonly submitMs: number;
    readonly waitMs: number;
  };
  readonly notes: readonly string[];
}

export interface InferenceSession {
  readonly inputs: readonly SessionValue[];
  readonly outputs: readonly SessionValue[];
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Record<string, Tensor>): Promise<Record<string, Tensor>>;
  profile(feeds: Record<string, Tensor>, options?: { runs?: number }): Promise<ProfileReport>;
  release(): Promise<void>;
}

interface Runtime {
  readonly InferenceSession: {
    create(source: string | Uint8Array, options?: SessionOptions): Promise<InferenceSession>;
  };
}

export async function createSession(
  source: string | Uint8Array,
  options: SessionOptions,
): Promise<InferenceSession> {
  const runtime = (await import('@onegpu/onnx')) as unknown as Runtime;
  return runtime.InferenceSession.create(source, options);
}
