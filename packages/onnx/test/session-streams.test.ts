/** What a stream of runs promises: order, memory, and how it ends. */
import { InvalidInputError, SessionReleasedError } from '@onegpu/core';
import { newTestDevice, randomFill, testDevice } from '@onegpu/testing';
import { describe, expect, it } from 'vitest';
import { InferenceSession, Tensor } from '../src/index.ts';
import { feed, integerFeed, reluModel } from './session-models.ts';

describe('runMany', () => {
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
    expect(() => session.runMany([good], { inFlight: Object.create(null) })).toThrow(/inFlight/);
    expect(() => session.runMany([good], { outputs: 'reuse' as never })).toThrow(
      /runMany.outputs: .*got "reuse", expected new or reused/,
    );
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
});
