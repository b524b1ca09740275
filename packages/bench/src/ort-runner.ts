/**
 * onnxruntime-node as a peer, on its WebGPU or CPU execution provider. The package is optional: where it is not
 * installed a benchmark says so and goes on. Its WebGPU provider brings a Dawn of its own and finds the software
 * adapter through the same Vulkan variables that a GpuDevice sets, so a device is made before a peer's session.
 */
import type { PeerName, Runner, RunnerFeeds, RunnerOutput } from './runner.ts';

/** The peer's package is not installed, or does not load here. */
export class PeerAbsentError extends Error {
  override readonly name = 'PeerAbsentError';
}

export interface OrtSettings {
  /** `disabled` runs the graph as it is written, without onnxruntime's own fusions; default `all`. */
  readonly optimization?: 'disabled' | 'all';
}

/** What is used of onnxruntime-node. */
interface Ort {
  readonly InferenceSession: {
    create(path: string, options: Readonly<Record<string, unknown>>): Promise<OrtSession>;
  };
  readonly Tensor: new (type: string, data: unknown, dims: readonly number[]) => unknown;
}

interface OrtSession {
  run(feeds: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, RunnerOutput>>>;
  release(): Promise<void>;
}

/** @throws PeerAbsentError; onnxruntime's own error when it cannot load the model */
export async function loadOrtRunner(
  peer: PeerName,
  path: string,
  settings: OrtSettings = {},
): Promise<Runner> {
  const ort = await importOrt();
  const session = await ort.InferenceSession.create(path, {
    executionProviders: [peer === 'ort-webgpu' ? 'webgpu' : 'cpu'],
    graphOptimizationLevel: settings.optimization ?? 'all',
    logSeverityLevel: 3,
  });
  return {
    run: (feeds) => session.run(toOrtFeeds(ort, feeds)),
    release: () => session.release(),
  };
}

function toOrtFeeds(ort: Ort, feeds: RunnerFeeds): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(feeds).map(([name, { type, data, dims }]) => [name, new ort.Tensor(type, data, dims)]),
  );
}

/** Loads the package, so that no runner's first session pays for it. @throws PeerAbsentError */
export async function loadPeerPackage(): Promise<void> {
  await importOrt();
}

async function importOrt(): Promise<Ort> {
  // Not a literal: the declarations of an optional package must not be needed to compile against this one.
  const name = 'onnxruntime-node';
  try {
    const module = (await import(name)) as Ort & { default?: Ort };
    return module.default ?? module;
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const absent = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
    const reason = absent ? 'is not installed' : `does not load: ${message.split('\n', 1)[0]}`;
    throw new PeerAbsentError(`onnxruntime-node ${reason}`, { cause });
  }
}
