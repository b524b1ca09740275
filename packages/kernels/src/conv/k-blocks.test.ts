import { describe, expect, it } from 'vitest';
import { kBlocks } from './k-blocks.ts';

describe('kBlocks', () => {
  it('puts whole taps into a step while they fit', () => {
    expect(kBlocks(9, 16)).toEqual({ steps: 3, tapsPerStep: 3, slices: 1, sliceQuads: 16 });
    expect(kBlocks(1, 5)).toEqual({ steps: 1, tapsPerStep: 1, slices: 1, sliceQuads: 5 });
  });

  it('slices the channels of a tap where they are more than a block', () => {
    expect(kBlocks(9, 128)).toEqual({ steps: 18, tapsPerStep: 1, slices: 2, sliceQuads: 64 });
    expect(kBlocks(1, 65)).toEqual({ steps: 2, tapsPerStep: 1, slices: 2, sliceQuads: 33 });
  });

  it.each([1, 3, 31, 63, 64, 65, 127, 240, 512])('covers %i vec4 in blocks of at most 256 terms', (quads) => {
    for (const taps of [1, 2, 7, 9, 25, 289]) {
      const { steps, tapsPerStep, slices, sliceQuads } = kBlocks(taps, quads);
      expect(tapsPerStep * sliceQuads * 4).toBeLessThanOrEqual(256);
      expect((steps / slices) * tapsPerStep).toBe(taps);
      expect(slices * sliceQuads).toBeGreaterThanOrEqual(quads);
      expect((slices - 1) * sliceQuads).toBeLessThan(quads);
    }
  });
});
