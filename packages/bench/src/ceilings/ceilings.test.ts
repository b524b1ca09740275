import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GpuDevice, GpuTimer } from '@onegpu/core';
import { testDevice } from '@onegpu/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { adapterCeilings, CeilingError } from './index.ts';
import { GpuLoad } from './load.ts';
import { type CeilingTask, copyTask, dispatchTask, measureRate, multiplyAddTask } from './measure.ts';

async function runOnce(device: GpuDevice, task: CeilingTask): Promise<GpuLoad> {
  const load = await GpuLoad.create(device, task.load);
  const encoder = device.raw.createCommandEncoder();
  load.encode(encoder);
  device.raw.queue.submit([encoder.finish()]);
  return load;
}

describe('the kernels do their work', () => {
  const tasks = async (): Promise<readonly CeilingTask[]> => {
    const device = await testDevice();
    const types = device.capabilities.float16 ? (['f32', 'f16'] as const) : (['f32'] as const);
    return [
      ...types.flatMap((type) =>
        ([1, 4] as const).map((width) => multiplyAddTask(device, { type, width, chains: 4 })),
      ),
      ...[1, 4].map((perInvocation) => copyTask({ workgroup: 256, perInvocation }, 2 ** 20)),
      dispatchTask(),
    ];
  };

  it('and leave the right values', async () => {
    const device = await testDevice();
    for (const task of await tasks()) {
      const load = await runOnce(device, task);
      await task.check(load, 1);
      load.destroy();
    }
  });

  it('or are found out', async () => {
    const device = await testDevice();
    for (const task of await tasks()) {
      const load = await GpuLoad.create(device, task.load);
      await expect(task.check(load, 1), task.label).rejects.toThrow(CeilingError);
      load.destroy();
    }
  });

  it('and give their memory back', async () => {
    const device = await testDevice();
    const timer = await GpuTimer.create(device);
    await measureRate(device, timer, dispatchTask());
    const before = device.memory;
    const rate = await measureRate(device, timer, copyTask({ workgroup: 64, perInvocation: 1 }, 2 ** 20));
    expect(rate.perMs).toBeGreaterThan(0);
    expect(device.memory).toEqual(before);
    timer.destroy();
  });
});

describe('adapterCeilings', () => {
  const before = process.env.ONEGPU_CACHE;
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'onegpu-ceilings-'));
    process.env.ONEGPU_CACHE = folder;
  });
  afterEach(async () => {
    if (before === undefined) delete process.env.ONEGPU_CACHE;
    else process.env.ONEGPU_CACHE = before;
    await rm(folder, { recursive: true, force: true });
  });

  it('measures once, answers from the cache, and measures again where that is broken or asked for', async () => {
    const device = await testDevice();
    const labels = new Set<string>();
    const measured = await adapterCeilings(device, { onProgress: ({ label }) => labels.add(label) });
    expect([...labels].slice(0, 1)).toEqual(['f32 multiply-adds']);
    for (const figure of [measured.copyGbps, measured.f32Gflops, measured.dispatchUs]) {
      expect(figure).toBeGreaterThan(0);
    }
    expect(measured.f16Gflops === undefined).toBe(!device.capabilities.float16);

    const [file = ''] = await readdir(folder);
    expect(JSON.parse(await readFile(join(folder, file), 'utf8'))).toEqual(measured);
    const silent = () => expect.unreachable('the cache was not used');
    expect(await adapterCeilings(device, { onProgress: silent })).toEqual(measured);

    for (const broken of ['{', '{}', JSON.stringify({ ...measured, f32Gflops: -1 })]) {
      await writeFile(join(folder, file), broken);
      const steps: string[] = [];
      const stop = new Error('enough');
      const onProgress = ({ label }: { label: string }): void => {
        steps.push(label);
        throw stop;
      };
      await expect(adapterCeilings(device, { onProgress })).rejects.toBe(stop);
      expect(steps).toHaveLength(1);
    }
  });
});
