/** What a process of the memory benchmark is asked to do, and what it answers, over its IPC channel. */
import type { AdapterChoice } from '@onegpu/core';
import type { NumericMode } from '@onegpu/kernels';
import type { BenchEnvironment } from '../environment.ts';
import type { RunnerName } from '../runner.ts';

/** `idle` opens a device and does nothing. */
export type MemoryTask =
  | { readonly runner: 'idle'; readonly adapter: AdapterChoice }
  | {
      readonly runner: RunnerName;
      readonly adapter: AdapterChoice;
      readonly mode: NumericMode;
      readonly path: string;
      readonly dims: readonly number[] | undefined;
      readonly batch: number;
    };

export type MemoryAnswer =
  | {
      readonly kind: 'done';
      /** Largest number of bytes in this library's buffers at one time; of our own processes. */
      readonly ownBytes?: number;
      /** Dims of the first input. */
      readonly dims?: readonly number[];
      readonly environment?: BenchEnvironment;
    }
  | { readonly kind: 'failed'; readonly reason: string };
