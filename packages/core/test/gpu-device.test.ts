import { newTestDevice, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import {
  BufferArena,
  GpuDevice,
  GpuDeviceLostError,
  GpuLimitError,
  GpuUnavailableError,
  GpuValidationError,
} from '../src/index.ts';

const STORAGE = { usage: 128 } as const;

describe('GpuDevice', () => {
  it('reads the capabilities of the adapter it got', async () => {
    const { capabilities } = await testDevice();
    expect(capabilities.limits.maxComputeInvocationsPerWorkgroup).toBeGreaterThanOrEqual(256);
    expect(capabilities.vendor).not.toBe('');
  });

  it('gives an adapter of the kind asked for, or says that there is none', async () => {
    for (const adapter of ['software', 'hardware'] as const) {
      const answer = await GpuDevice.create({ adapter }).catch((error: unknown) => error);
      if (answer instanceof GpuDevice) {
        expect(answer.capabilities.software).toBe(adapter === 'software');
        await answer.disposeAsync();
      } else {
        expect(answer).toBeInstanceOf(GpuUnavailableError);
      }
    }
  });

  it('counts the buffers it made', async () => {
    const device = await newTestDevice();
    const buffer = await device.createBuffer({ label: 'counted', size: 1001, ...STORAGE });
    expect(device.memory).toEqual({ buffers: 1, bytes: 1004 });
    device.destroyBuffer(buffer);
    expect(device.memory).toEqual({ buffers: 0, bytes: 0 });
    await device.disposeAsync();
  });

  it('refuses a buffer over the limit by name and stays usable', async () => {
    const device = await testDevice();
    const { maxBufferSize } = device.capabilities.limits;
    const before = device.memory;
    const refused = device.createBuffer({ label: 'vast', size: maxBufferSize + 4, ...STORAGE });
    await expect(refused).rejects.toThrow(GpuLimitError);
    await expect(refused).rejects.toThrow('maxBufferSize');
    expect(device.memory).toEqual(before);
    device.assertUsable();
  });

  it('turns a refused WebGPU call into a typed error', async () => {
    const device = await testDevice();
    const refused = device.createBuffer({ label: 'bad usage', size: 16, usage: 0xffff });
    await expect(refused).rejects.toThrow(GpuValidationError);
    device.assertUsable();
  });

  it('gives the value of watched work at once, and what WebGPU refused of it later', async () => {
    const device = await testDevice();
    const fine = device.watch('fine', () => 7);
    expect(fine.value).toBe(7);
    await fine.checked;
    const bad = device.watch('bad', () => device.raw.createBuffer({ size: 16, usage: 0xffff }));
    const good = device.watch('good', () => device.raw.createBuffer({ size: 16, usage: 128 }));
    await expect(bad.checked).rejects.toThrow(GpuValidationError);
    await good.checked;
    expect(() =>
      device.watch('thrown', () => {
        throw new RangeError('own');
      }),
    ).toThrow(RangeError);
    device.assertUsable();
  });

  it('reports an error outside every scope once, at the next use', async () => {
    const device = await newTestDevice();
    device.raw.createBuffer({ size: 16, usage: 0xffff });
    await device.raw.queue.onSubmittedWorkDone();
    expect(() => device.assertUsable()).toThrow(GpuValidationError);
    device.assertUsable();
    await device.disposeAsync();
  });

  it('rejects work on a lost device, and a new device can be made', async () => {
    const device = await newTestDevice();
    device.raw.destroy();
    await device.raw.lost;
    expect(device.isLost).toBe(true);
    await expect(device.createBuffer({ label: 'late', size: 16, ...STORAGE })).rejects.toThrow(
      GpuDeviceLostError,
    );
    const next = await newTestDevice();
    next.assertUsable();
    await next.disposeAsync();
  });

  it('leaves a device alone that is the caller’s own', async () => {
    const owner = await newTestDevice();
    const guest = await GpuDevice.create({ device: owner.raw });
    await guest.disposeAsync();
    const buffer = await owner.createBuffer({ label: 'still alive', size: 16, ...STORAGE });
    owner.destroyBuffer(buffer);
    await owner.disposeAsync();
  });
});

describe('BufferArena', () => {
  it('gives aligned ranges inside itself and refuses others', async () => {
    const arena = await BufferArena.create(await testDevice(), 1024, 'test arena');
    expect(arena.range(256, 10, 'float32')).toMatchObject({ byteOffset: 256, length: 10, type: 'float32' });
    expect(() => arena.range(100, 1, 'float32')).toThrow(GpuLimitError);
    expect(() => arena.range(768, 65, 'float32')).toThrow(GpuLimitError);
    arena.destroy();
  });
});
