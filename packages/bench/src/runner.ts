/** One way to run a model: this library, or a peer. All of them get the same file and the same feeds. */
import type { AdapterChoice } from '@onegpu/core';
import type { NumericMode } from '@onegpu/kernels';
import { InferenceSession, type Tensor } from '@onegpu/onnx';
import { loadOrtRunner } from './ort-runner.ts';

export type PeerName = 'ort-webgpu' | 'ort-cpu';
export type RunnerName = 'onegpu' | PeerName;

export const PEER_NAMES: readonly PeerName[] = ['ort-webgpu', 'ort-cpu'];

export type RunnerFeeds = Readonly<Record<string, Tensor>>;

export interface RunnerOutput {
  readonly dims: readonly number[];
  readonly data: ArrayLike<unknown>;
}

export interface Runner {
  /** One inference, host tensors in and out. */
  run(feeds: RunnerFeeds): Promise<Readonly<Record<string, RunnerOutput>>>;
  /** Many, several in flight where the runtime overlaps them; absent where it has nothing of the kind. */
  stream?(feeds: Iterable<RunnerFeeds>): AsyncIterable<unknown>;
  release(): Promise<void>;
}

export interface RunnerSettings {
  readonly adapter: AdapterChoice;
  readonly mode: NumericMode;
  /** Layers of ours run as tuning finds them quickest; measured while loading where they were not before. */
  readonly tune?: true;
}

/**
 * Loads the model, on a device of the runner's own: what another runner compiled is not there.
 * @throws whatever the runtime says when it cannot load the model; PeerAbsentError without onnxruntime-node
 */
export async function loadRunner(name: RunnerName, path: string, settings: RunnerSettings): Promise<Runner> {
  if (name !== 'onegpu') return loadOrtRunner(name, path);
  const { adapter, mode, tune = false } = settings;
  const session = await InferenceSession.create(path, { adapter, mode, tune });
  return {
    run: (feeds) => session.run(feeds),
    stream: (feeds) => session.runMany(feeds),
    release: () => session.release(),
  };
}
