import { describe, expect, it } from 'vitest';
import { inputDims, seededFeeds } from './feeds.ts';

const image = { name: 'x', type: 'float32', dims: ['N', 3, 'H', 'W'] } as const;

describe('inputDims', () => {
  it('puts the batch in front and fills what is free', () => {
    expect(inputDims(image, { given: undefined, batch: 4 })).toEqual([4, 3, 224, 224]);
    expect(inputDims(image, { given: [1, 3, 32, 64], batch: 2 })).toEqual([2, 3, 32, 64]);
    expect(inputDims({ ...image, dims: [1, 3, 48, 192] }, { given: undefined, batch: 8 })).toEqual([
      8, 3, 48, 192,
    ]);
  });

  it('refuses an input without a rank', () => {
    expect(() => inputDims({ ...image, dims: undefined }, { given: undefined, batch: 1 })).toThrow(/no rank/);
  });
});

describe('seededFeeds', () => {
  it('gives the same values every time, of mean 0 and deviation 1', () => {
    const shape = { given: [1, 3, 32, 32], batch: 2 };
    const { x } = seededFeeds([image], shape);
    expect(x).toEqual(seededFeeds([image], shape).x);
    const data = (x?.data ?? new Float32Array()) as Float32Array;
    const square = data.reduce((sum, value) => sum + value * value, 0) / data.length;
    expect(data).toHaveLength(2 * 3 * 32 * 32);
    // The squares of normal values of variance 1 have a variance of 2.
    expect(Math.abs(square - 1)).toBeLessThan(5 * Math.sqrt(2 / data.length));
  });

  it('makes integers where the model wants them', () => {
    const { x } = seededFeeds([{ ...image, type: 'int64' }], { given: undefined, batch: 1 });
    expect(x?.type).toBe('int64');
    expect(x?.data).toBeInstanceOf(BigInt64Array);
  });
});
