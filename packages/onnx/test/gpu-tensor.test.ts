/** Tensors that stay on the GPU: as outputs, as feeds, and who frees them. */
import { type GpuDevice, GpuDeviceLostError, InvalidInputError } from '@onegpu/core';
import { newTestDevice, newTestDeviceAs, randomFill, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { imageInput } from '../src/image/index.ts';
import { InferenceSession, type SessionOptions, Tensor } from '../src/index.ts';
import { buildModel } from './model-builder.ts';

/** y and z of x [n, 3, h, w], and the extents of x, which the host knows. */
function threeOutputs(): Uint8Array {
  const weights = new Tensor('float32', randomFill(54, 3), [2, 3, 3, 3]);
  return buildModel({
    inputs: { x: { dims: ['n', 3, 'h', 'w'] } },
    outputs: { y: {}, z: {}, s: { type: 'int64' } },
    nodes: [
      { op: 'Conv', inputs: ['x', 'w'], outputs: ['y'], attributes: { pads: [1, 1, 1, 1] } },
      { op: 'Relu', inputs: ['x'], outputs: ['z'] },
      { op: 'Shape', inputs: ['x'], outputs: ['s'] },
    ],
    initializers: { w: weights },
  });
}

/** One element-wise operator from x to y, of any rank. */
function unaryModel(op: string, type: 'float32' | 'float16' | 'bool' = 'float32', rank = 4): Uint8Array {
  const dims = Array.from({ length: rank }, (_, axis) => `d${axis}`);
  return buildModel({
    inputs: { x: { type, dims } },
    outputs: { y: { type } },
    nodes: [{ op, inputs: ['x'], outputs: ['y'] }],
  });
}

function feedOf(dims: readonly number[], seed = 1): { x: Tensor } {
  const count = dims.reduce((product, extent) => product * extent, 1);
  return { x: new Tensor('float32', randomFill(count, seed), dims) };
}

function create(model: Uint8Array, device: GpuDevice, options: SessionOptions = {}) {
  return InferenceSession.create(model, { device, preferredOutputLocation: 'gpu-buffer', ...options });
}

describe('outputs on the GPU', () => {
  it.each(['software', 'hardware'] as const)('hold what the host would get: %s', async (kind) => {
    const device = await newTestDeviceAs(kind);
    const session = await create(threeOutputs(), device);
    const host = await InferenceSession.create(threeOutputs(), { device });
    // The large one is uploaded through mapped buffers, which no readback waits for.
    for (const dims of [
      [2, 3, 5, 7],
      [1, 3, 300, 300],
    ]) {
      const expected = await host.run(feedOf(dims));
      const runs = await Promise.all([1, 2, 3].map(() => session.run(feedOf(dims))));
      for (const outputs of runs) {
        expect(Object.keys(outputs)).toEqual(['y', 'z', 's']);
        for (const [name, tensor] of Object.entries(outputs)) {
          expect([tensor.location, tensor.type, tensor.dims, tensor.size]).toEqual([
            'gpu-buffer',
            expected[name]?.type,
            expected[name]?.dims,
            expected[name]?.size,
          ]);
          expect(tensor.gpuBuffer.usage & GPUBufferUsage.STORAGE).not.toBe(0);
          expect(await tensor.getData()).toEqual(expected[name]?.data);
          tensor.dispose();
        }
      }
    }
    await session.release();
    await host.release();
    device.staging.clear();
    expect(device.memory).toEqual({ buffers: 0, bytes: 0 });
    await device.disposeAsync();
  });

  it('are chosen by name, and of those asked for', async () => {
    const device = await newTestDevice();
    const session = await create(threeOutputs(), device, { preferredOutputLocation: { z: 'gpu-buffer' } });
    const { y, z } = await session.run(feedOf([1, 3, 2, 2]));
    expect([y?.location, z?.location]).toEqual(['cpu', 'gpu-buffer']);
    expect(y?.data).toHaveLength(8);
    expect(await y?.getData()).toBe(y?.data);
    const { buffers } = device.memory;
    expect(Object.keys(await session.run(feedOf([1, 3, 2, 2]), ['y']))).toEqual(['y']);
    expect(device.memory.buffers).toBe(buffers);
    await session.release();
    await device.disposeAsync();
  });

  it('hold other types, and none', async () => {
    const device = await testDevice();
    const rows = [
      ['Not', 'bool', new Tensor('bool', Uint8Array.of(1, 0, 0, 1, 1), [5]), [0, 1, 1, 0, 0]],
      [
        'Neg',
        'float16',
        new Tensor('float16', Uint16Array.of(0x3c00, 0, 0x4000), [3]),
        [0xbc00, 0x8000, 0xc000],
      ],
      ['Relu', 'float32', new Tensor('float32', [], [0]), []],
    ] as const;
    for (const [op, type, x, expected] of rows) {
      const session = await create(unaryModel(op, type, 1), device);
      const { y } = await session.run({ x });
      expect(Array.from((await y?.getData()) as Uint8Array)).toEqual(expected);
      y?.dispose();
      await session.release();
    }
  });

  it('are as many after 50 runs as after 10 where they are disposed of, and counted where they are not', async () => {
    const device = await newTestDevice();
    const session = await create(threeOutputs(), device);
    const run = async () => {
      for (const tensor of Object.values(await session.run(feedOf([1, 3, 4, 4])))) tensor.dispose();
    };
    for (let count = 0; count < 10; count++) await run();
    const { memory } = device;
    for (let count = 10; count < 50; count++) await run();
    expect(device.memory).toEqual(memory);
    const { y } = await session.run(feedOf([1, 3, 4, 4]), ['y']);
    expect(device.memory).toEqual({ buffers: memory.buffers + 1, bytes: memory.bytes + 128 });
    await session.release();
    expect(device.memory.bytes).toBe(128);
    expect(await y?.getData()).toHaveLength(32);
    y?.dispose();
    y?.dispose();
    device.staging.clear();
    expect(device.memory).toEqual({ buffers: 0, bytes: 0 });
    await device.disposeAsync();
  });

  it('are filled again where the caller brings them, and streamed', async () => {
    const device = await newTestDevice();
    const session = await create(unaryModel('Relu'), device);
    const { y } = await session.run(feedOf([1, 1, 2, 3], 1));
    const again = await session.run(feedOf([1, 1, 2, 3], 2), { y: y ?? null });
    expect(again.y).toBe(y);
    const expected = Float32Array.from(randomFill(6, 2), (value) => Math.max(value, 0));
    expect(await y?.getData()).toEqual(expected);
    const misfit = session.run(feedOf([1, 1, 1, 1]), { y: y ?? null });
    await expect(misfit).rejects.toThrow(/fetches\.y.*got float32 \[1, 1, 2, 3\]/);
    const elsewhere = await newTestDevice();
    const usage = GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    const there = await elsewhere.createBuffer({ label: 'y', size: 24, usage });
    const here = await device.createBuffer({ label: 'y', size: 24, usage: GPUBufferUsage.COPY_SRC });
    const targets: [Tensor, RegExp][] = [
      [Tensor.fromGpuBuffer(there, { dims: [1, 1, 2, 3], device: elsewhere }), /fetches\.y.*another device/],
      [Tensor.fromGpuBuffer(here, { dims: [1, 1, 2, 3], device }), /fetches\.y.*expected COPY_DST/],
    ];
    for (const [target, message] of targets)
      await expect(session.run(feedOf([1, 1, 2, 3]), { y: target })).rejects.toThrow(message);
    device.destroyBuffer(here);
    await elsewhere.disposeAsync();
    const onHost = session.run(feedOf([1, 1, 1, 1]), { y: feedOf([1, 1, 1, 1]).x });
    await expect(onHost).rejects.toThrow(/preferredOutputLocation.*got cpu, expected gpu-buffer/);
    const seeds = [4, 5, 6, 7, 8];
    let seen = 0;
    for await (const result of session.runMany(seeds.map((seed) => feedOf([1, 1, 2, 3], seed)))) {
      const data = Float32Array.from(randomFill(6, seeds[seen++] ?? 0), (value) => Math.max(value, 0));
      expect(await result.y?.getData()).toEqual(data);
      result.y?.dispose();
    }
    expect(seen).toBe(5);
    expect(() => session.runMany([], { outputs: 'reused' })).toThrow(InvalidInputError);
    const report = await session.profile(feedOf([1, 1, 2, 3]), { runs: 1 });
    expect(report.rows.length).toBeGreaterThan(0);
    await session.release();
    await device.disposeAsync();
    await expect(y?.getData()).rejects.toThrow(GpuDeviceLostError);
    y?.dispose();
  });

  it('are freed where a stream ends before they were given', async () => {
    const device = await newTestDevice();
    const session = await create(unaryModel('Relu'), device);
    const feeds = Array.from({ length: 6 }, (_, seed) => feedOf([1, 1, 2, 3], seed));
    function* failing() {
      yield* feeds.slice(0, 4);
      throw new RangeError('no more');
    }
    const unfed = [...feeds.slice(0, 2), {}, ...feeds];
    for (const [source, most] of [
      [feeds, 2],
      [failing(), 9],
      [unfed, 9],
    ] as const) {
      let given = 0;
      const stream = async (): Promise<void> => {
        for await (const { y } of session.runMany(source)) {
          y?.dispose();
          if (++given === most) break;
        }
      };
      if (most === 9) await expect(stream()).rejects.toThrow(/no more|not fed/);
      else await stream();
    }
    await session.release();
    device.staging.clear();
    expect(device.memory).toEqual({ buffers: 0, bytes: 0 });
    await device.disposeAsync();
  });

  it('are freed when their run fails', async () => {
    const device = await newTestDevice();
    const session = await create(threeOutputs(), device, { preferredOutputLocation: { z: 'gpu-buffer' } });
    const feeds = feedOf([1, 3, 4, 4]);
    const target = new Tensor('float32', new Float32Array(32), [1, 2, 4, 4]);
    await session.run(feeds, { y: target });
    const { buffers } = device.memory;
    // Its bytes are read when the targets have been checked.
    let reads = 0;
    const picture = {
      ...{ width: 4, height: 4 },
      get data() {
        if (reads++ === 1) structuredClone(target.data, { transfer: [target.data.buffer as ArrayBuffer] });
        return new Uint8Array(64);
      },
    };
    const run = session.run({ x: imageInput(picture) }, { y: target, z: null });
    await expect(run).rejects.toThrow(/fetches\.y/);
    expect(device.memory.buffers).toBeLessThanOrEqual(buffers);
    await session.release();
    device.staging.clear();
    expect(device.memory).toEqual({ buffers: 0, bytes: 0 });
    await device.disposeAsync();
  });

  it('are refused where there is no such output or location, and leave no device behind', async () => {
    const wrong = [{ w: 'gpu-buffer' }, 'texture', { y: 'cpu-pinned' }] as unknown as 'cpu'[];
    for (const preferredOutputLocation of wrong) {
      const refused = InferenceSession.create(threeOutputs(), {
        adapter: 'software',
        preferredOutputLocation,
      });
      await expect(refused).rejects.toThrow(InvalidInputError);
      await expect(refused).rejects.toThrow(/preferredOutputLocation/);
    }
  });
});

describe('feeds on the GPU', () => {
  it('go from one session into the next, without a wait, whatever runs between', async () => {
    const device = await newTestDevice();
    const first = await create(threeOutputs(), device);
    const second = await create(unaryModel('Neg'), device);
    const third = await InferenceSession.create(unaryModel('Neg'), { device });
    const host = await InferenceSession.create(threeOutputs(), { device });
    const dims = [1, 3, 5, 6];
    const results = [1, 2, 3, 4].map(async (seed) => {
      const { y } = await first.run(feedOf(dims, seed), ['y']);
      const { y: negated } = await second.run({ x: y as Tensor });
      y?.dispose();
      const { y: same } = await third.run({ x: negated as Tensor });
      negated?.dispose();
      return same?.data;
    });
    const expected: unknown[] = [];
    for (const seed of [1, 2, 3, 4]) expected.push((await host.run(feedOf(dims, seed))).y?.data);
    expect(await Promise.all(results)).toEqual(expected);
    // The same session, fed from either place by turns.
    const { y } = await first.run(feedOf(dims, 9), ['y']);
    const onHost = new Tensor('float32', (await y?.getData()) as Float32Array, y?.dims);
    const turns = await Promise.all([y as Tensor, onHost, y as Tensor].map((x) => third.run({ x })));
    expect(turns[1]?.y).toEqual(turns[0]?.y);
    expect(turns[2]?.y).toEqual(turns[0]?.y);
    y?.dispose();
    for (const session of [first, second, third, host]) await session.release();
    device.staging.clear();
    expect(device.memory).toEqual({ buffers: 0, bytes: 0 });
    await device.disposeAsync();
  });

  it("may be buffers of the caller's", async () => {
    const device = await testDevice();
    const usage = GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    const buffer = device.raw.createBuffer({ size: 64, usage });
    device.raw.queue.writeBuffer(buffer, 0, Float32Array.of(1, -2, 3));
    let disposed = 0;
    const x = Tensor.fromGpuBuffer(buffer, { dims: [3], dispose: () => disposed++ });
    const session = await InferenceSession.create(unaryModel('Neg', 'float32', 1), { device });
    expect((await session.run({ x })).y).toEqual(new Tensor('float32', [-1, 2, -3]));
    await expect(x.getData()).rejects.toThrow(/device.*download/);
    const owned = Tensor.fromGpuBuffer(buffer, { dims: [3], device });
    expect(await owned.getData()).toEqual(Float32Array.of(1, -2, 3));
    const download = async () => Float32Array.of(7);
    expect(await Tensor.fromGpuBuffer(buffer, { dims: [1], download }).getData()).toEqual(Float32Array.of(7));
    x.dispose();
    x.dispose();
    expect(disposed).toBe(1);
    expect(() => Tensor.fromGpuBuffer(buffer, { dims: [17] })).toThrow(/got 64 bytes.*at least 68 bytes/);
    const unreadable = device.raw.createBuffer({ size: 64, usage: GPUBufferUsage.COPY_DST });
    expect(() => Tensor.fromGpuBuffer(unreadable, { dims: [1] })).toThrow(/COPY_SRC/);
    const wrong: [unknown, object | null, RegExp][] = [
      [null, { dims: [1] }, /gpuBuffer.*got Null, expected a GPUBuffer/],
      [buffer, null, /options.*got null/],
      [buffer, {}, /dims.*got Undefined/],
      [buffer, { dims: [1], dataType: 'string' }, /type.*got string/],
      [buffer, { dims: [1], device: device.raw }, /device.*GpuDevice\.create/],
      [buffer, { dims: [1], download: 5 }, /download.*a function/],
      [buffer, { dims: [1], dispose: 5 }, /dispose.*a function/],
    ];
    for (const [from, options, message] of wrong) {
      const make = () => Tensor.fromGpuBuffer(from as GPUBuffer, options as { dims: number[] });
      expect(make).toThrow(InvalidInputError);
      expect(make).toThrow(message);
    }
    const short = Tensor.fromGpuBuffer(buffer, { dims: [2], download });
    await expect(short.getData()).rejects.toThrow(/download.*got 1 elements, expected Float32Array of 2/);
    buffer.destroy();
    unreadable.destroy();
    await session.release();
  });

  it('are refused after dispose, on another device, and where their values decide shapes', async () => {
    const device = await testDevice();
    const other = await newTestDevice();
    const session = await create(unaryModel('Relu'), device);
    const elsewhere = await create(unaryModel('Relu'), other);
    const { y } = await session.run(feedOf([1, 1, 1, 2]));
    const x = y as Tensor;
    expect(() => x.data).toThrow(InvalidInputError);
    expect(() => x.data).toThrow(/getData/);
    expect(() => feedOf([1]).x.gpuBuffer).toThrow(InvalidInputError);
    await expect(elsewhere.run({ x })).rejects.toThrow(/another device/);
    x.dispose();
    expect(x.location).toBe('gpu-buffer');
    await expect(session.run({ x })).rejects.toThrow(/disposed of/);
    await expect(session.run(feedOf([1, 1, 1, 2]), { y: x })).rejects.toThrow(/disposed of/);
    await expect(x.getData()).rejects.toThrow(InvalidInputError);
    expect(() => x.gpuBuffer).toThrow(InvalidInputError);
    await elsewhere.release();
    await other.disposeAsync();

    const reshape = await InferenceSession.create(
      buildModel({
        inputs: { x: { dims: ['n'] }, shape: { type: 'int64', dims: [1] } },
        outputs: ['y'],
        nodes: [{ op: 'Reshape', inputs: ['x', 'shape'], outputs: ['y'] }],
      }),
      { device },
    );
    const buffer = await device.createBuffer({ label: 'shape', size: 8, usage: GPUBufferUsage.COPY_SRC });
    const shape = Tensor.fromGpuBuffer(buffer, { dataType: 'int64', dims: [1], device });
    await expect(reshape.run({ ...feedOf([4]), shape })).rejects.toThrow(/shape.*not on the host/);
    device.destroyBuffer(buffer);
    await reshape.release();
    await session.release();
  });
});
