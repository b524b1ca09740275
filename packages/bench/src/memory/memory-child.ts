/**
 * A process of the memory benchmark: does one task, tells the result, and keeps everything open until its parent
 * lets go, so that the driver's figure can be read meanwhile. It ends with its parent, however that ends.
 */
import { GpuDevice } from '@onegpu/core';
import { InferenceSession } from '@onegpu/onnx';
import { loadModel } from '@onegpu/onnx/tools';
import { readEnvironment } from '../environment.ts';
import { seededFeeds } from '../feeds.ts';
import { loadOrtRunner } from '../ort-runner.ts';
import type { RunnerFeeds } from '../runner.ts';
import type { MemoryAnswer, MemoryTask } from './memory-task.ts';

/** Runs of the model: the first one makes what it needs, the second shows whether that was all. */
const RUNS = 2;

/** What must not be collected before the parent has looked. */
const open: unknown[] = [];

process.on('disconnect', () => process.exit());
process.once('message', (task: MemoryTask) => {
  perform(task)
    .catch((cause: unknown): MemoryAnswer => {
      const message = cause instanceof Error ? cause.message : String(cause);
      return { kind: 'failed', reason: message.split('\n', 1)[0] ?? message };
    })
    .then((answer) => process.send?.(answer));
});

async function perform(task: MemoryTask): Promise<MemoryAnswer> {
  if (task.runner === 'idle') {
    const device = await GpuDevice.create({ adapter: task.adapter });
    open.push(device);
    return { kind: 'done', environment: await readEnvironment(device) };
  }
  const { graph } = await loadModel(task.path);
  const feeds = seededFeeds(graph.inputs, { given: task.dims, batch: task.batch });
  const dims = Object.values(feeds)[0]?.dims ?? [];
  if (task.runner === 'onegpu') return { kind: 'done', dims, ownBytes: await runOwn(task, feeds) };
  const runner = await loadOrtRunner(task.runner, task.path);
  open.push(runner);
  for (let run = 0; run < RUNS; run++) await runner.run(feeds);
  return { kind: 'done', dims };
}

async function runOwn(task: Exclude<MemoryTask, { runner: 'idle' }>, feeds: RunnerFeeds): Promise<number> {
  const device = await GpuDevice.create({ adapter: task.adapter });
  const peak = countPeak(device);
  const session = await InferenceSession.create(task.path, { device, mode: task.mode });
  open.push(device, session);
  for (let run = 0; run < RUNS; run++) await session.run(feeds);
  return peak();
}

/** Looks at the device's live bytes whenever a buffer is made. */
function countPeak(device: GpuDevice): () => number {
  let peak = device.memory.bytes;
  const create = device.createBuffer.bind(device);
  device.createBuffer = async (descriptor) => {
    const buffer = await create(descriptor);
    peak = Math.max(peak, device.memory.bytes);
    return buffer;
  };
  return () => peak;
}
