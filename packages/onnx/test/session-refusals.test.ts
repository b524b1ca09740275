/** What sessions refuse, by name, and that they stay usable; what ends them. */
import {
  GpuDeviceLostError,
  GpuLimitError,
  GpuValidationError,
  InvalidInputError,
  SessionReleasedError,
} from '@onegpu/core';
import { newTestDevice, testAdapter, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { InferenceSession, Tensor } from '../src/index.ts';
import { feed, reluModel, residualModel } from './session-models.ts';

describe('a session', () => {
  it('refuses wrong feeds by name and stays usable', async () => {
    const session = await InferenceSession.create(residualModel(), { device: await testDevice() });
    const good = feed([1, 3, 9, 13]);
    const bad: Record<string, unknown>[] = [
      {},
      { ...good, extra: good.x },
      { x: new Tensor('int32', new Int32Array(351), [1, 3, 9, 13]) },
      feed([3, 9, 13]),
      feed([1, 4, 9, 13]),
      { x: new Float32Array(351) },
      { x: null },
    ];
    for (const feeds of bad) {
      await expect(session.run(feeds as Record<string, Tensor>)).rejects.toThrow(InvalidInputError);
    }
    expect((await session.run(good)).y?.dims).toEqual([1, 8]);
    await session.release();
  });

  it('refuses extents that are none, and feeds that are no object', async () => {
    const session = await InferenceSession.create(residualModel(), { device: await testDevice() });
    for (const extent of [-1, 2.5, Number.NaN]) {
      await expect(session.explain({ x: [1, 3, extent, 8] })).rejects.toThrow(InvalidInputError);
    }
    for (const feeds of [undefined, null, 'x']) {
      await expect(session.run(feeds as never)).rejects.toThrow(InvalidInputError);
    }
    await session.release();
  });

  it('refuses a feed whose buffer was transferred', async () => {
    const session = await InferenceSession.create(residualModel(), { device: await testDevice() });
    const feeds = feed([1, 3, 5, 7]);
    const { buffer } = feeds.x.data as Float32Array<ArrayBuffer>;
    structuredClone(buffer, { transfer: [buffer] });
    const lost = /feeds\.x.*got 0 elements, expected 105.*transferred/;
    await expect(session.run(feeds)).rejects.toThrow(lost);
    const later = feed([1, 3, 5, 7]);
    const running = session.run(later);
    const data = later.x.data as Float32Array<ArrayBuffer>;
    structuredClone(data.buffer, { transfer: [data.buffer] });
    await expect(running).rejects.toThrow(lost);
    await session.release();
  });

  it('names tensor, bytes and limit where a picture is too large for the adapter', async () => {
    const session = await InferenceSession.create(residualModel(), { device: await testDevice() });
    const refused = session.explain({ x: [1, 3, 20_000, 20_000] });
    await expect(refused).rejects.toThrow(GpuLimitError);
    await expect(refused).rejects.toThrow(
      /tensor "x" \[1, 3, 20000, 20000\].max\w+Size: .*got 4800000000 bytes, expected at most \d+/,
    );
    expect((await session.run(feed([1, 3, 5, 7]))).y?.dims).toEqual([1, 8]);
    await session.release();
  });

  it('fails the run alone whose commands WebGPU refuses', async () => {
    const device = await newTestDevice();
    const session = await InferenceSession.create(reluModel(), { device });
    const good = await session.run(feed([1, 3, 5, 7]));
    const { queue } = device.raw;
    const submit = queue.submit.bind(queue);
    const foreign = device.raw.createBuffer({
      size: 16,
      usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC,
    });
    Object.defineProperty(queue, 'submit', {
      configurable: true,
      value: (commands: GPUCommandBuffer[]) => {
        Reflect.deleteProperty(queue, 'submit');
        const encoder = device.raw.createCommandEncoder();
        encoder.copyBufferToBuffer(foreign, 0, foreign, 8, 64);
        submit([...commands, encoder.finish()]);
      },
    });
    const runs = [session.run(feed([1, 3, 5, 7])), session.run(feed([1, 3, 5, 7]))];
    await expect(runs[0]).rejects.toThrow(GpuValidationError);
    expect((await runs[1])?.y?.data).toEqual(good.y?.data);
    await session.release();
    await device.disposeAsync();
  });

  it('waits for runs in flight when released, then refuses', async () => {
    const session = await InferenceSession.create(residualModel(), { device: await testDevice() });
    const running = session.run(feed([1, 3, 9, 13]));
    await session.release();
    expect((await running).y?.dims).toEqual([1, 8]);
    await expect(session.run(feed([1, 3, 9, 13]))).rejects.toThrow(SessionReleasedError);
  });

  it('rejects with GpuDeviceLostError when the device is lost, and a new session works', async () => {
    const session = await InferenceSession.create(residualModel(), { adapter: testAdapter() });
    await session.run(feed([1, 3, 9, 13]));
    const stream = session.runMany([3, 4, 5, 6, 7, 8].map((seed) => feed([1, 3, 9, 13], seed)));
    await stream.next();
    const rest = (async () => {
      for await (const _ of stream);
    })();
    const pending = session.run(feed([1, 3, 9, 13]));
    session.device.raw.destroy();
    await expect(pending).rejects.toThrow(GpuDeviceLostError);
    await expect(rest).rejects.toThrow(GpuDeviceLostError);
    await expect(session.run(feed([1, 3, 9, 13]))).rejects.toThrow(GpuDeviceLostError);
    await session.release();
    const next = await InferenceSession.create(residualModel(), { adapter: testAdapter() });
    expect((await next.run(feed([1, 3, 9, 13]))).y?.dims).toEqual([1, 8]);
    await next.release();
  });
});
