import { describe, expect, it } from 'vitest';
import { kBlocks } from './k-blocks.ts';

describe('kBlocks', () => {
  it('puts whole taps into a step while they fit', () => {
    expect(kBlocks(9, 64)).toEqual({ steps: 3, tapsPerStep: 3, slices: 1, sliceChannels: 64, ragged: false });
    expect(kBlocks(1, 20)).toEqual({ steps: 1, tapsPerStep: 1, slices: 1, sliceChannels: 20, ragged: false });
  });

  it('slices the channels of a tap where they are more than a block', () => {
    expect(kBlocks(9, 512)).toEqual({
      steps: 18,
      tapsPerStep: 1,
      slices: 2,
      sliceChannels: 256,
      ragged: false,
    });
    expect(kBlocks(1, 257)).toEqual({
      steps: 2,
      tapsPerStep: 1,
      slices: 2,
      sliceChannels: 129,
      ragged: true,
    });
  });

  it.each([1, 3, 31, 255, 256, 257, 268, 509, 960, 2048])(
    'covers %i channels in blocks of at most 256',
    (channels) => {
      for (const taps of [1, 2, 7, 9, 25, 289]) {
        const { steps, tapsPerStep, slices, sliceChannels } = kBlocks(taps, channels);
        expect(tapsPerStep * sliceChannels).toBeLessThanOrEqual(256);
        expect((steps / slices) * tapsPerStep).toBe(taps);
        expect(slices * sliceChannels).toBeGreaterThanOrEqual(channels);
        expect((slices - 1) * sliceChannels).toBeLessThan(channels);
      }
    },
  );
});
