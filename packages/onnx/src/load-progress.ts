/** What loading a model reports while it runs, and what ends it. */
import { LoadAbortedError } from '@onegpu/core';

/** `read`: bytes of the model and its data files; the other stages count nodes, layers, pipelines and constants. */
export type LoadStage = 'read' | 'import' | 'tune' | 'compile' | 'upload';

export interface LoadProgress {
  readonly stage: LoadStage;
  readonly done: number;
  /** 0 while unknown (a server that does not say how long its answer is). */
  readonly total: number;
}

export type ProgressListener = (progress: LoadProgress) => void;

/** How bytes are read. */
export interface ReadOptions {
  readonly onProgress?: ProgressListener | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Name of the browser's cache that keeps answers to addresses. */
  readonly cache?: string | undefined;
}

/** @throws LoadAbortedError once the signal is; `got` says how far loading was */
export function checkAborted(signal: AbortSignal | undefined, subject: string, got?: string): void {
  if (signal?.aborted !== true) return;
  const details = got === undefined ? { subject } : { subject, got };
  throw new LoadAbortedError('loading was aborted', details, { cause: signal.reason });
}
