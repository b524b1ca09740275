/** What a session promises about its runs, on a small network with a residual connection. */
import {
  type GpuDevice,
  GpuDeviceLostError,
  GpuLimitError,
  GpuValidationError,
  InvalidInputError,
  SessionReleasedError,
} from '@onegpu/core';
import { newTestDevice, newTestDeviceAs, randomFill, testAdapter, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { InferenceSession, Tensor } from '../src/index.ts';
import { buildModel } from './model-builder.ts';

function residualModel(): Uint8Array {
  const weights = (oc: number, ic: number, seed: number) =>
    new Tensor('float32', randomFill(oc * ic * 9, seed), [oc, ic, 3, 3]);
  return buildModel({
    inputs: { x: { type: 'float32', dims: ['batch', 3, 'height', 'width'] } },
    outputs: { y: { type: 'float32' } },
    nodes: [
      { op: 'Conv', inputs: ['x', 'w0'], outputs: ['a'], attributes: { pads: [1, 1, 1, 1] } },
      { op: 'Relu', inputs: ['a'], outputs: ['b'] },
      { op: 'Conv', inputs: ['b', 'w1'], outputs: ['c'], attributes: { pads: [1, 1, 1, 1] } },
      { op: 'Add', inputs: ['c', 'b'], outputs: ['d'] },
      { op: 'Relu', inputs: ['d'], outputs: ['e'] },
      { op: 'GlobalAveragePool', inputs: ['e'], outputs: ['p'] },
      { op: 'Flatten', inputs: ['p'], outputs: ['y'] },
    ],
    initializers: { w0: weights(8, 3, 1), w1: weights(8, 8, 2) },
  });
}

/** Values that tell where they belong, of both signs. */
function integerFeed(dims: readonly number[]): { x: Tensor } {
  const length = dims.reduce((product, extent) => product * extent, 1);
  const data = Float32Array.from({ length }, (_, index) => (index % 1013) - 500 + (dims[3] ?? 0));
  return { x: new Tensor('float32', data, dims) };
}

/** Quick to compile. */
function reluModel(): Uint8Array {
  return buildModel({
    inputs: { x: { type: 'float32', dims: ['batch', 3, 'height', 'width'] } },
    outputs: { y: { type: 'float32' } },
    nodes: [{ op: 'Relu', inputs: ['x'], outputs: ['y'] }],
  });
}

function feed(dims: readonly number[], seed = 3): { x: Tensor } {
  const length = dims.reduce((product, extent) => product * extent, 1);
  return { x: new Tensor('float32', randomFill(length, seed), dims) };
}

describe('InferenceSession', () => {
  it('gives the same bits for two runs in flight as for one after the other', async () => {
    const session = await InferenceSession.create(residualModel(), { device: await testDevice() });
    const feeds = [feed([1, 3, 9, 13], 3), feed([1, 3, 9, 13], 4), feed([2, 3, 7, 11], 5)];
    const alone = [];
    for (const each of feeds) alone.push((await session.run(each)).y?.data);
    const together = await Promise.all(feeds.map((each) => session.run(each)));
    expect(together.map((result) => result.y?.data)).toEqual(alone);
    await session.release();
  });

  it('streams many runs from one array that the source fills again, in order', async () => {
    const device = await newTestDevice();
    const session = await InferenceSession.create(reluModel(), { device });
    const seeds = [3, 4, 5, 6, 7];
    const alone = [];
    for (const seed of seeds) alone.push((await session.run(feed([1, 3, 5, 7], seed))).y?.data);
    const shared = feed([1, 3, 5, 7]);
    function* refilled() {
      for (const seed of seeds) {
        (shared.x.data as Float32Array).set(randomFill(105, seed));
        yield shared;
      }
    }
    const streamed = [];
    for await (const { y } of session.runMany(refilled())) streamed.push(y?.data);
    expect(streamed).toEqual(alone);
    const { memory } = device;
    for await (const { y } of session.runMany(refilled(), { inFlight: 2 })) {
      expect(y?.data).toEqual(alone[0]);
      break;
    }
    expect(device.memory).toEqual(memory);
    await session.release();
    expect(device.memory).toEqual({ buffers: 0, bytes: 0 });
    await device.disposeAsync();
  });

  it('fills tensors that the caller brings, gives the outputs asked for, and refuses what does not fit', async () => {
    const nodes = ['y', 'z'].map((name) => ({ op: 'Relu', inputs: ['x'], outputs: [name] }));
    const model = buildModel({ inputs: { x: { dims: ['n'] } }, outputs: ['y', 'z'], nodes });
    const session = await InferenceSession.create(model, { device: await testDevice() });
    const feeds = { x: new Tensor('float32', [-1, 2, 3]) };
    const memory = new Float32Array(8);
    const y = new Tensor('float32', memory.subarray(2, 5), [3]);
    const filled = await session.run(feeds, { y, z: null });
    expect(filled.y).toBe(y);
    expect([...memory]).toEqual([0, 0, 0, 2, 3, 0, 0, 0]);
    expect(filled.z).toEqual(new Tensor('float32', [0, 2, 3]));
    expect(Object.keys(await session.run(feeds, ['z']))).toEqual(['z']);
    const misfits: [unknown, RegExp][] = [
      [{ y: new Tensor('float32', [1, 2]) }, /fetches\.y.*got float32 \[2\], expected float32 \[3\]/],
      [{ y: new Tensor('int32', [1, 2, 3]) }, /got int32 \[3\]/],
      [{ y: memory }, /no Tensor/],
      [['w'], /got w, expected y, z/],
      ['y', /fetches/],
      [{ y, z: y }, /fetches\.z.*that of "y", expected one for each/],
    ];
    for (const [fetches, message] of misfits) {
      const refused = session.run(feeds, fetches as readonly string[]);
      await expect(refused).rejects.toThrow(InvalidInputError);
      await expect(refused).rejects.toThrow(message);
    }
    expect((await session.run(feeds, { y })).y).toBe(y);
    await session.release();
  });

  it('fills the arrays of a result again when a stream may reuse them, and not before', async () => {
    const session = await InferenceSession.create(reluModel(), { device: await testDevice() });
    const feeds = [3, 4, 5, 6, 7, 8, 9].map((width) => integerFeed([1, 3, 2, width < 7 ? 5 : width]));
    const alone: unknown[] = [];
    for (const each of feeds) alone.push((await session.run(each)).y);
    const seen = new Set<unknown>();
    const streamed: unknown[] = [];
    for await (const { y } of session.runMany(feeds, { inFlight: 2, outputs: 'reused' })) {
      seen.add(y?.data);
      await new Promise((resolve) => setTimeout(resolve, 5)); // Runs behind it end meanwhile.
      streamed.push(y && new Tensor('float32', (y.data as Float32Array).slice(), y.dims));
    }
    expect(streamed).toEqual(alone);
    expect(seen.size).toBeLessThan(feeds.length);
    await session.release();
  });

  it('ends a stream with the error of its item, and when the session is released', async () => {
    const session = await InferenceSession.create(reluModel(), { device: await testDevice() });
    const good = feed([1, 3, 5, 7]);
    const results: unknown[] = [];
    const read = async (feeds: Iterable<{ x: Tensor }>) => {
      for await (const result of session.runMany(feeds)) results.push(result.y?.dims);
    };
    await expect(read([good, good, feed([1, 4, 5, 7]), good])).rejects.toThrow(InvalidInputError);
    expect(results).toEqual([good.x.dims, good.x.dims]);
    expect(() => session.runMany(good as never)).toThrow(/feeds.*run/);
    expect(() => session.runMany([good], { inFlight: 0 })).toThrow(InvalidInputError);
    const endless = (function* () {
      for (;;) yield good;
    })();
    const stream = session.runMany(endless);
    await stream.next();
    await session.release();
    await stream.next(); // Was in flight when the session was released.
    await stream.next();
    await expect(stream.next()).rejects.toThrow(SessionReleasedError);
  });

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

  it('hands a long plan to the queue in parts, on hardware', async () => {
    const links = Array.from({ length: 18 }, (_, index) => `t${index}`);
    const nodes = links.map((name, index) => ({
      op: 'MaxPool',
      inputs: [links[index - 1] ?? 'x'],
      outputs: [name],
      attributes: { kernel_shape: [2, 2], pads: [0, 0, 1, 1] },
    }));
    const model = buildModel({ inputs: { x: { dims: [1, 4, 7, 11] } }, outputs: ['t17'], nodes });
    const run = async (kind: 'software' | 'hardware') => {
      const device = await newTestDeviceAs(kind);
      const session = await InferenceSession.create(model, { device });
      const feeds = { x: integerFeed([1, 4, 7, 11]).x };
      await session.run(feeds);
      const { t17 } = await session.run(feeds);
      const { totals, rows } = await session.profile(feeds, { runs: 1 });
      await session.release();
      await device.disposeAsync();
      return { data: t17?.data, rows: rows.length, spans: [totals.spanMs, totals.unprofiledSpanMs] };
    };
    const whole = await run('software');
    const parted = await run('hardware');
    expect(parted.data).toEqual(whole.data);
    expect(parted.rows).toBeGreaterThanOrEqual(16);
    for (const span of parted.spans) expect(span).toBeGreaterThan(0);
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

  it('runs two sessions of one device side by side', async () => {
    const device = await testDevice();
    const sessions = await Promise.all(
      [1, 2].map(() => InferenceSession.create(residualModel(), { device })),
    );
    const [first, second] = await Promise.all(sessions.map((session) => session.run(feed([1, 3, 9, 13]))));
    expect(first?.y?.data).toEqual(second?.y?.data);
    await Promise.all(sessions.map((session) => session.release()));
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

  it('waits for runs in flight when released, then refuses', async () => {
    const session = await InferenceSession.create(residualModel(), { device: await testDevice() });
    const running = session.run(feed([1, 3, 9, 13]));
    await session.release();
    expect((await running).y?.dims).toEqual([1, 8]);
    await expect(session.run(feed([1, 3, 9, 13]))).rejects.toThrow(SessionReleasedError);
  });

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

  it('gives out values of any name', async () => {
    const names = ['__proto__', 'constructor', '../a b'];
    const nodes = names.map((name) => ({ op: 'Relu', inputs: ['toString'], outputs: [name] }));
    const model = buildModel({ inputs: { toString: { dims: [2] } }, outputs: names, nodes });
    const session = await InferenceSession.create(model, { device: await testDevice() });
    const result = await session.run({ toString: new Tensor('float32', [-1, 2]) });
    expect(Object.entries(result).map(([name, { data }]) => [name, ...(data as Float32Array)])).toEqual(
      names.map((name) => [name, 0, 2]),
    );
    await session.release();
  });

  it('runs empty batches', async () => {
    const session = await InferenceSession.create(residualModel(), { device: await testDevice() });
    expect((await session.run(feed([0, 3, 9, 13]))).y?.dims).toEqual([0, 8]);
    await session.release();
  });

  it('gives the same bits with and without fusions, on integers', async () => {
    const device = await testDevice();
    const plain = await InferenceSession.create(integerModel(), { device, fusions: false });
    const fused = await InferenceSession.create(integerModel(), { device });
    const feeds = {
      x: new Tensor(
        'float32',
        Float32Array.from({ length: 90 }, (_, i) => (i % 7) - 3),
        [1, 2, 5, 9],
      ),
    };
    const expected = await plain.run(feeds);
    expect((await fused.run(feeds)).y?.data).toEqual(expected.y?.data);
    const steps = async (session: InferenceSession) =>
      (await session.explain({ x: [1, 2, 5, 9] })).steps.length;
    expect(await steps(fused)).toBeLessThan(await steps(plain));
    await plain.release();
    await fused.release();
  });
});

function integerModel(): Uint8Array {
  const integers = (dims: number[]) =>
    new Tensor(
      'float32',
      Float32Array.from({ length: dims.reduce((a, b) => a * b) }, (_, i) => (i % 5) - 2),
      dims,
    );
  return buildModel({
    inputs: { x: { type: 'float32', dims: ['n', 2, 'h', 'w'] } },
    outputs: { y: { type: 'float32' } },
    nodes: [
      { op: 'Conv', inputs: ['x', 'w0', 'b0'], outputs: ['a'], attributes: { pads: [1, 1, 1, 1] } },
      { op: 'Relu', inputs: ['a'], outputs: ['b'] },
      { op: 'Conv', inputs: ['b', 'w1'], outputs: ['c'] },
      { op: 'Add', inputs: ['c', 'b'], outputs: ['d'] },
      { op: 'Clip', inputs: ['d', 'low', 'high'], outputs: ['y'] },
    ],
    initializers: {
      w0: integers([6, 2, 3, 3]),
      b0: integers([6]),
      w1: integers([6, 6, 1, 1]),
      low: new Tensor('float32', [-40], []),
      high: new Tensor('float32', [60], []),
    },
  });
}

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
