/** Tensors made from options: pictures, arrays, seeded values, and options that fit no input. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GraphValue } from '@onegpu/onnx';
import { Tensor } from '@onegpu/onnx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FeedSource, makeFeeds } from './feeds.ts';
import { pictureToPng } from './image.ts';
import { writeNpy } from './npy.ts';
import type { FeedOptions } from './options.ts';

let folder = '';
let picture = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onegpu-feeds-'));
  picture = join(folder, 'red.png');
  const data = Uint8Array.from({ length: 70 * 41 * 3 }, (_, index) => [255, 0, 51][index % 3] ?? 0);
  const empty = '<svg xmlns="http://www.w3.org/2000/svg" width="70" height="41"/>';
  await writeFile(picture, await pictureToPng({ width: 70, height: 41, data }, empty));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const options = (given: Partial<FeedOptions> = {}): FeedOptions => ({
  shape: new Map(),
  input: new Map(),
  preprocess: 'imagenet',
  seed: 1,
  ...given,
});
const value = (name: string, dims: GraphValue['dims'], type: GraphValue['type'] = 'float32'): GraphValue => ({
  name,
  type,
  dims,
});
const classifier = {
  inputs: [value('x', ['N', 3, 'H', 'W'])],
  outputs: [value('scores', ['N', 10])],
  software: true,
};
const detector = { ...classifier, outputs: [value('map', ['N', 1, 'H', 'W'])] };

describe('makeFeeds', () => {
  it('fills what is not given with the same values for the same seed, and says so', async () => {
    const first = await makeFeeds(classifier, options({ shape: new Map([['x', [1, 3, 4, 4]]]) }));
    const second = await makeFeeds(classifier, options({ shape: new Map([['x', [1, 3, 4, 4]]]) }));
    const other = await makeFeeds(classifier, options({ shape: new Map([['x', [1, 3, 4, 4]]]), seed: 2 }));
    expect(first.tensors.x?.data).toEqual(second.tensors.x?.data);
    expect(first.tensors.x?.data).not.toEqual(other.tensors.x?.data);
    expect(first.notes[0]).toContain('[1, 3, 4, 4]');
    const free = await makeFeeds(classifier, options());
    expect(free.tensors.x?.dims).toEqual([1, 3, 224, 224]);
    expect(free.notes[0]).toContain('batch 1, height 224, width 224; --shape changes it');
  });

  it('refuses --shape where it contradicts the array, as wrong usage', async () => {
    const file = join(folder, 'row.npy');
    await writeFile(file, writeNpy(new Tensor('float32', [1, 2, 3], [1, 3, 1, 1])));
    const given = (dims: number[]) =>
      makeFeeds(classifier, options({ input: new Map([['x', file]]), shape: new Map([['x', dims]]) }));
    await expect(given([1, 3, 2, 2])).rejects.toThrow('--shape x=1x3x2x2 contradicts --input');
    expect((await given([1, 3, 1, 1])).tensors.x?.dims).toEqual([1, 3, 1, 1]);
  });

  it('reads arrays', async () => {
    const file = join(folder, 'x.npy');
    await writeFile(file, writeNpy(new Tensor('float32', [1, 2, 3], [1, 3, 1, 1])));
    const feeds = await makeFeeds(classifier, options({ input: new Map([['x', file]]) }));
    expect(feeds.tensors.x?.dims).toEqual([1, 3, 1, 1]);
    expect(feeds.notes).toEqual([]);
  });

  it('prepares a picture the three ways', async () => {
    const shape = new Map([['x', [2, 3, 8, 8]]]);
    const firstOf = async (preprocess: FeedOptions['preprocess']): Promise<readonly number[]> => {
      const { tensors } = await makeFeeds(classifier, options({ image: picture, shape, preprocess }));
      const data = tensors.x?.data as Float32Array;
      expect(data).toHaveLength(2 * 3 * 64);
      expect(data.subarray(0, 192)).toEqual(data.subarray(192));
      return [data[0] ?? 0, data[64] ?? 0, data[128] ?? 0];
    };
    const near = (values: readonly number[]): unknown => values.map((entry) => expect.closeTo(entry, 4));
    expect(await firstOf('none')).toEqual(near([255, 0, 51]));
    expect(await firstOf('imagenet')).toEqual(
      near([(1 - 0.485) / 0.229, (0 - 0.456) / 0.224, (0.2 - 0.406) / 0.225]),
    );
    expect(await firstOf('paddle')).toEqual(
      near([(0.2 - 0.485) / 0.229, (0 - 0.456) / 0.224, (1 - 0.406) / 0.225]),
    );
  });

  it('gives a detection network the size of the picture, a classifier 224', async () => {
    const image = { image: picture, preprocess: 'paddle' } as const;
    expect((await makeFeeds(detector, options(image))).tensors.x?.dims).toEqual([1, 3, 32, 64]);
    expect((await makeFeeds(classifier, options(image))).tensors.x?.dims).toEqual([1, 3, 224, 224]);
  });

  it('takes the extents of a test model for classifiers, and for detectors without a picture', async () => {
    const testDims = [1, 3, 48, 192];
    const dimsOf = async (model: FeedSource, given: Partial<FeedOptions>): Promise<unknown> =>
      (await makeFeeds({ ...model, testDims }, options(given))).tensors.x?.dims;
    expect(await dimsOf(classifier, {})).toEqual(testDims);
    expect(await dimsOf(classifier, { image: picture })).toEqual(testDims);
    expect(await dimsOf(detector, {})).toEqual(testDims);
    expect(await dimsOf(detector, { image: picture })).toEqual([1, 3, 32, 64]);
  });

  it('feeds bytes, halves and one channel where the model wants them', async () => {
    const feed = async (type: GraphValue['type'], channels: number): Promise<Tensor | undefined> => {
      const model = { ...classifier, inputs: [value('x', [1, channels, 4, 4], type)] };
      return (await makeFeeds(model, options({ image: picture, preprocess: 'none' }))).tensors.x;
    };
    expect(Array.from((await feed('uint8', 3))?.data as Uint8Array).slice(0, 1)).toEqual([255]);
    expect((await feed('float16', 3))?.data[0]).toBe(0x5bf8);
    expect((await feed('float32', 1))?.data[0]).toBeCloseTo(102, 3);
  });

  it('refuses options that fit no input', async () => {
    const tokens = { ...classifier, inputs: [value('ids', ['N', 'length'], 'int64')] };
    await expect(makeFeeds(tokens, options({ image: picture }))).rejects.toThrow('the model has 0');
    await expect(makeFeeds(classifier, options({ input: new Map([['y', 'y.npy']]) }))).rejects.toThrow(
      'it has x',
    );
    const shape = new Map([['x', [1, 5, 8, 8]]]);
    await expect(makeFeeds(classifier, options({ image: picture, shape }))).rejects.toThrow(
      'cannot fill input "x"',
    );
  });
});
