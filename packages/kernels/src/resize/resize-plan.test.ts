/** One ResizePlan encoded over several operands: its tables are made once and serve all of them. */
import {
  type GpuBuffer,
  type GpuDevice,
  GpuKernelShapeError,
  numberToHalf,
  type OperandArray,
} from '@onegpu/core';
import {
  expectExact,
  expectWithin,
  integerFill,
  randomFill,
  sumTolerance,
  testDevice,
} from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { referenceResize } from '../reference/resize.ts';
import { resizeSum } from '../reference/sums.ts';
import { ResizePlan, type ResizePlanType } from './resize-plan.ts';

async function upload(device: GpuDevice, data: OperandArray, type: ResizePlanType): Promise<GpuBuffer> {
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const size = Math.ceil(data.byteLength / 16) * 16;
  const buffer = await device.createBuffer({ label: 'operand', size, usage });
  const bytes = new Uint8Array(size);
  bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  device.raw.queue.writeBuffer(buffer, 0, bytes);
  return { buffer, type, byteOffset: 0, length: data.length };
}

async function download(device: GpuDevice, { buffer }: GpuBuffer): Promise<ArrayBuffer> {
  const readback = await device.staging.acquire(buffer.size);
  const encoder = device.raw.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, readback, 0, buffer.size);
  device.raw.queue.submit([encoder.finish()]);
  await readback.mapAsync(GPUMapMode.READ, 0, buffer.size);
  const bytes = readback.getMappedRange(0, buffer.size).slice(0);
  readback.unmap();
  device.staging.release(readback);
  return bytes;
}

describe('ResizePlan', () => {
  it.each(['nearest', 'linear', 'cubic'] as const)('is encoded twice over other inputs, %s', async (mode) => {
    const device = await testDevice();
    const plan = await ResizePlan.create(device, {
      dims: [1, 2, 5, 7],
      sizes: [1, 2, 11, 3],
      sampling: { mode },
    });
    const sources = [randomFill(plan.srcElements, 1), randomFill(plan.srcElements, 2)];
    const src = await Promise.all(sources.map((data) => upload(device, data, 'float32')));
    const dst = await Promise.all(
      sources.map(() => upload(device, new Float32Array(plan.dstElements), 'float32')),
    );
    await device.guard('resize twice', () => {
      const encoder = device.raw.createCommandEncoder();
      src.forEach((range, at) => {
        plan.encode(encoder, { src: range, dst: dst[at] ?? range });
      });
      device.raw.queue.submit([encoder.finish()]);
    });
    for (const [at, data] of sources.entries()) {
      const actual = new Float32Array(await download(device, dst[at] as GpuBuffer), 0, plan.dstElements);
      const expected = referenceResize(plan.problem, data);
      expectWithin(actual, expected, sumTolerance(resizeSum(plan.problem)), plan.dstDims);
    }
    plan.destroy();
    for (const { buffer } of [...src, ...dst]) device.destroyBuffer(buffer);
  });

  it('takes float16 and bytes', async () => {
    const device = await testDevice();
    const cases = [
      ['float16', Uint16Array, numberToHalf],
      ['uint8', Uint8Array, (value: number) => value],
    ] as const;
    for (const [type, array, store] of cases) {
      const request = {
        dims: [1, 2, 5, 7],
        scales: [1, 1, 2, 2],
        sampling: { coordinates: 'asymmetric' },
      } as const;
      const plan = await ResizePlan.create(device, { ...request, type });
      const numbers = integerFill(plan.srcElements, 3, 0, 9);
      const src = await upload(device, new array(Array.from(numbers, store)), type);
      const dst = await upload(device, new array(plan.dstElements), type);
      await device.guard('resize', () => {
        const encoder = device.raw.createCommandEncoder();
        plan.encode(encoder, { src, dst });
        device.raw.queue.submit([encoder.finish()]);
      });
      const actual = new array(await download(device, dst), 0, plan.dstElements);
      expectExact(actual, new array(Array.from(referenceResize(plan.problem, numbers), store)), plan.dstDims);
      plan.destroy();
      for (const { buffer } of [src, dst]) device.destroyBuffer(buffer);
    }
  });

  it('shows its tables', async () => {
    const plan = await ResizePlan.create(await testDevice(), {
      dims: [3],
      sizes: [6],
      sampling: { mode: 'linear' },
    });
    const [taps] = plan.taps();
    expect([...(taps?.index ?? [])]).toEqual([0, 0, 0, 1, 0, 1, 1, 2, 1, 2, 2, 2]);
    expect([...(taps?.weight ?? [])]).toEqual([
      0.25, 0.75, 0.75, 0.25, 0.25, 0.75, 0.75, 0.25, 0.25, 0.75, 0.75, 0.25,
    ]);
    plan.destroy();
  });

  it('refuses operands that do not fit, before anything is recorded', async () => {
    const device = await testDevice();
    const plan = await ResizePlan.create(device, { dims: [1, 1, 4], sizes: [1, 1, 8] });
    const src = await upload(device, new Float32Array(64), 'float32');
    const dst = await upload(device, new Float32Array(8), 'float32');
    const encoder = device.raw.createCommandEncoder();
    const right = { ...src, length: 4 };
    expect(() => plan.encode(encoder, { src, dst })).toThrow(/4 float32/);
    expect(() => plan.encode(encoder, { src: { ...right, type: 'int32' }, dst })).toThrow(
      GpuKernelShapeError,
    );
    expect(() => plan.encode(encoder, { src: { ...right, byteOffset: 4 }, dst })).toThrow(/multiple of/);
    expect(() => plan.encode(encoder, { src: right, dst: { ...src, length: 8 } })).toThrow(/overlap/);
    plan.destroy();
    for (const { buffer } of [src, dst]) device.destroyBuffer(buffer);
  });
});
