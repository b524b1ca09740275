/** What a session promises about the results of a run. */
import { InvalidInputError } from '@onegpu/core';
import { newTestDeviceAs, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { InferenceSession, Tensor } from '../src/index.ts';
import { buildModel } from './model-builder.ts';
import { feed, integerFeed, residualModel } from './session-models.ts';

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

  it('runs two sessions of one device side by side', async () => {
    const device = await testDevice();
    const sessions = await Promise.all(
      [1, 2].map(() => InferenceSession.create(residualModel(), { device })),
    );
    const [first, second] = await Promise.all(sessions.map((session) => session.run(feed([1, 3, 9, 13]))));
    expect(first?.y?.data).toEqual(second?.y?.data);
    await Promise.all(sessions.map((session) => session.release()));
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
