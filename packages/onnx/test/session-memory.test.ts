/** What sessions make on the GPU, keep and free. */
import type { GpuDevice } from '@onegpu/core';
import { newTestDevice, newTestDeviceAs, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { InferenceSession } from '../src/index.ts';
import { feed, integerFeed, reluModel, residualModel } from './session-models.ts';

describe('a session', () => {
  it('keeps no commands that name arenas of before', async () => {
    const session = await InferenceSession.create(reluModel(), { device: await testDevice() });
    const small = feed([1, 3, 5, 7]);
    const first = await session.run(small);
    await session.run(feed([2, 3, 12, 10])); // Needs larger arenas, so the plan of `small` is bound anew.
    expect((await session.run(small)).y?.data).toEqual(first.y?.data);
    expect((await session.run(small)).y?.data).toEqual(first.y?.data);
    await session.release();
  });

  it('uploads large inputs piece by piece, on hardware', async () => {
    const device = await newTestDeviceAs('hardware');
    const session = await InferenceSession.create(reluModel(), { device });
    const large = [0, 1, 2].map((seed) => integerFeed([3, 3, 709, 661 + seed])); // 16.9 MB: two pieces
    const feeds = [...large, ...large, feed([1, 3, 5, 7])];
    const results: boolean[] = [];
    for await (const { y } of session.runMany(feeds)) {
      const x = feeds[results.length]?.x.data as Float32Array;
      const relu = y?.data as Float32Array;
      results.push(
        relu.length === x.length && relu.every((value, index) => value === Math.max(0, x[index] ?? -1)),
      );
    }
    expect(results).toEqual(feeds.map(() => true));
    const { memory } = device;
    await session.run(feeds[5] ?? {});
    expect(device.memory).toEqual(memory);
    await session.release();
    device.staging.clear();
    expect(device.memory).toEqual({ buffers: 0, bytes: 0 });
    await device.disposeAsync();
  });

  it('creates no GPU object in a second run, and no pipeline for a second picture size', async () => {
    const device = await testDevice();
    const session = await InferenceSession.create(residualModel(), { device });
    await session.run(feed([1, 3, 9, 13]));
    const created = await countCreations(device, () => session.run(feed([1, 3, 9, 13], 7)));
    expect(created).toEqual({});
    const resized = await countCreations(device, () => session.run(feed([2, 3, 12, 10], 7)));
    expect(Object.keys(resized)).not.toContain('createComputePipelineAsync');
    await session.release();
  });

  it('frees every buffer when released', async () => {
    const device = await newTestDevice();
    const session = await InferenceSession.create(residualModel(), { device });
    await session.run(feed([1, 3, 9, 13]));
    device.staging.clear();
    expect(device.memory.bytes).toBeGreaterThan(0);
    await session.release();
    expect(device.memory).toEqual({ buffers: 0, bytes: 0 });
    await device.disposeAsync();
  });

  it('keeps memory bounded over many input sizes', async () => {
    const device = await newTestDevice();
    const session = await InferenceSession.create(residualModel(), { device });
    await session.run(feed([1, 3, 20, 20]));
    for (let side = 8; side < 18; side++) await session.run(feed([1, 3, side, side]));
    const after10 = device.memory.buffers;
    for (let side = 8; side < 18; side++) await session.run(feed([1, 3, side, side + 1]));
    expect(device.memory.buffers).toBeLessThanOrEqual(after10);
    await session.release();
    await device.disposeAsync();
  });
});

/** Counts calls of the raw device's create methods while `work` runs. */
async function countCreations(
  device: GpuDevice,
  work: () => Promise<unknown>,
): Promise<Record<string, number>> {
  const raw = device.raw as unknown as Record<string, unknown>;
  const names = [
    'createBuffer',
    'createBindGroup',
    'createComputePipeline',
    'createComputePipelineAsync',
    'createShaderModule',
  ];
  const counts: Record<string, number> = {};
  for (const name of names) {
    const original = raw[name] as (...args: unknown[]) => unknown;
    Object.defineProperty(raw, name, {
      configurable: true,
      value: (...args: unknown[]) => {
        counts[name] = (counts[name] ?? 0) + 1;
        return original.apply(raw, args);
      },
    });
  }
  try {
    await work();
  } finally {
    for (const name of names) delete raw[name];
  }
  return counts;
}
