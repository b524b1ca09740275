/** Where pictures lie; what the kernel makes of it stands in the tests of `@onegpu/onnx/image`. */
import { describe, expect, it } from 'vitest';
import { imageParams, imageParamsBytes, placeImage } from './problem.ts';

const square = { width: 32, height: 32 };

describe('placeImage', () => {
  it.each([
    ['fills the output', { width: 3, height: 90 }, 'stretch', [0, 0, 32, 32]],
    ['keeps proportions of a wide picture', { width: 64, height: 30 }, 'contain', [0, 8, 32, 15]],
    ['and of a tall one that grows', { width: 5, height: 8 }, 'contain', [6, 0, 20, 32]],
    ['is at least a pixel high', { width: 9000, height: 1 }, 'contain', [0, 15, 32, 1]],
  ] as const)('%s', (_, src, fit, [x, y, width, height]) => {
    expect(placeImage(src, square, fit)).toEqual({ src, x, y, width, height });
  });
});

describe('imageParams', () => {
  it('has a table of bytes as they are stored, and the reach of taps', () => {
    const src = { width: 64, height: 16 };
    const normalization = {
      order: 'bgr',
      mean: [0, 0.5, 1],
      std: [1, 2, -1],
      padding: [255, 0, 51],
    } as const;
    const bytes = imageParams({
      ...square,
      ...normalization,
      filter: 'antialias',
      pictures: [placeImage(src, square, 'stretch')],
    });
    expect(bytes.byteLength).toBe(imageParamsBytes(1));
    const words = [...new Uint32Array(bytes)];
    const numbers = new Float32Array(bytes);
    expect(words.slice(0, 4)).toEqual([32, 32, 3, 1]);
    expect([...numbers.slice(12, 15)]).toEqual([1, -0.25, Math.fround(0.8)]);
    const last = 16 + 4 * 255;
    expect([...numbers.slice(last, last + 3)]).toEqual([1, 0.25, -0]);
    expect(words.slice(-8)).toEqual([64, 16, 0, 0, 32, 32, 128, 64]);
  });
});
