/**
 * How far whole models lie from onnxruntime's CPU provider: the largest scaled error over the outputs. Beside it
 * stands how far onnxruntime's optimised run lies from its own plain one, which is the noise of float32 in that
 * model: nobody can be asked to be nearer to either.
 */
import type { GpuDevice } from '@onegpu/core';
import type { NumericMode } from '@onegpu/kernels';
import { InferenceSession, type Tensor } from '@onegpu/onnx';
import { seededFeeds } from './feeds.ts';
import type { BenchModel } from './model-source.ts';
import { loadOrtRunner } from './ort-runner.ts';
import { outputDifference } from './run-benchmark.ts';
import type { RunnerFeeds, RunnerOutput } from './runner.ts';

export interface ModelNumericsTask {
  readonly model: BenchModel;
  /** Goes to the model's first input; seeded values when it is absent. */
  readonly input?: Tensor;
}

export interface ModelNumericsRow {
  readonly model: string;
  readonly dims: readonly number[];
  /** This library against onnxruntime's optimised run on the CPU. */
  readonly error: number;
  /** This library against onnxruntime's plain run. */
  readonly errorPlain: number;
  /** onnxruntime's optimised run against its plain one. */
  readonly reference: number;
}

/** @throws PeerAbsentError without onnxruntime-node, and whatever either runtime says about the model */
export async function compareModel(
  device: GpuDevice,
  mode: NumericMode,
  { model, input }: ModelNumericsTask,
): Promise<ModelNumericsRow> {
  const session = await InferenceSession.create(model.path, { device, mode });
  try {
    const seeded = input === undefined ? seededFeeds(session.inputs, { given: model.dims, batch: 1 }) : {};
    const feeds = input === undefined ? seeded : { [session.inputNames[0] ?? '']: input };
    const ours = await session.run(feeds);
    const optimised = await runOrt(model.path, feeds, 'all');
    const plain = await runOrt(model.path, feeds, 'disabled');
    return {
      model: model.label,
      dims: Object.values(feeds)[0]?.dims ?? [],
      error: outputDifference(ours, optimised),
      errorPlain: outputDifference(ours, plain),
      reference: outputDifference(optimised, plain),
    };
  } finally {
    await session.release();
  }
}

async function runOrt(
  path: string,
  feeds: RunnerFeeds,
  optimization: 'all' | 'disabled',
): Promise<Readonly<Record<string, RunnerOutput>>> {
  const runner = await loadOrtRunner('ort-cpu', path, { optimization });
  try {
    return await runner.run(feeds);
  } finally {
    await runner.release();
  }
}
