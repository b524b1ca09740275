/** Sizes, channel order and values of the network's input. */
import { describe, expect, it } from 'vitest';
import { PP_OCR_DETECTION } from './config.ts';
import type { Picture } from './picture.ts';
import { detectionSize, normalizePicture } from './preprocess.ts';

function plainPicture(width: number, height: number, [r, g, b]: readonly number[]): Picture {
  const data = Uint8Array.from({ length: width * height * 3 }, (_, index) => [r, g, b][index % 3] ?? 0);
  return { width, height, data };
}

describe('detectionSize', () => {
  it.each([
    [640, 480, 640, 480],
    [650, 481, 640, 480],
    [1920, 1080, 960, 544],
    [10, 5000, 32, 960],
    [7, 7, 32, 32],
  ])('%i x %i becomes %i x %i', (width, height, expectedWidth, expectedHeight) => {
    expect(detectionSize({ width, height }, PP_OCR_DETECTION)).toEqual({
      width: expectedWidth,
      height: expectedHeight,
    });
  });

  it('enlarges to the shorter side where the limit is a least one', () => {
    const config = { ...PP_OCR_DETECTION, limitType: 'min', limitSideLength: 736 } as const;
    expect(detectionSize({ width: 368, height: 500 }, config)).toEqual({ width: 736, height: 992 });
    expect(detectionSize({ width: 800, height: 900 }, config)).toEqual({ width: 800, height: 896 });
  });
});

describe('normalizePicture', () => {
  it('puts blue first and applies the means in that order', () => {
    const tensor = normalizePicture(plainPicture(2, 1, [10, 20, 30]), PP_OCR_DETECTION);
    expect(tensor.dims).toEqual([1, 3, 1, 2]);
    const value = (byte: number, mean: number, std: number): number => Math.fround((byte / 255 - mean) / std);
    expect([...tensor.data]).toEqual([
      value(30, 0.485, 0.229),
      value(30, 0.485, 0.229),
      value(20, 0.456, 0.224),
      value(20, 0.456, 0.224),
      value(10, 0.406, 0.225),
      value(10, 0.406, 0.225),
    ]);
  });
});
