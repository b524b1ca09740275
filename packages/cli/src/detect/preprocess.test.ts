/** The size of the network's input, and the drawing of boxes. */
import { type Picture, PP_OCR_DETECTION } from '@onegpu/vision';
import { describe, expect, it } from 'vitest';
import { readPicture } from '../image.ts';
import { annotatePicture } from './annotate.ts';
import { detectText } from './detect-text.ts';
import { preprocessPicture } from './preprocess.ts';

function plainPicture(width: number, height: number, [r, g, b]: readonly number[]): Picture {
  const data = Uint8Array.from({ length: width * height * 3 }, (_, index) => [r, g, b][index % 3] ?? 0);
  return { width, height, data };
}

describe('preprocessPicture', () => {
  it('resizes to the multiple of 32', async () => {
    const tensor = await preprocessPicture(plainPicture(70, 41, [0, 0, 0]), PP_OCR_DETECTION);
    expect(tensor.dims).toEqual([1, 3, 32, 64]);
  });
});

describe('annotatePicture', () => {
  it('draws outlines over a picture of the same size', async () => {
    const picture = plainPicture(60, 40, [255, 255, 255]);
    const corners = [
      [10, 10],
      [50, 12],
      [49, 30],
      [9, 28],
    ] as const;
    const drawn = await readPicture(await annotatePicture(picture, [{ corners, score: 1 }]));
    expect([drawn.width, drawn.height]).toEqual([60, 40]);
    const at = (x: number, y: number): readonly number[] => [
      ...drawn.data.subarray((y * 60 + x) * 3, (y * 60 + x) * 3 + 3),
    ];
    expect(at(2, 2)).toEqual([255, 255, 255]);
    expect(at(10, 20)).not.toEqual([255, 255, 255]);
  });
});

describe('detectText', () => {
  it('refuses what is no picture and a network without a probability map', async () => {
    const session = { inputNames: ['x'], outputNames: ['y'], run: async () => ({}) };
    await expect(detectText(session, Uint8Array.of(1, 2, 3))).rejects.toThrow('cannot be read');
    const picture = plainPicture(32, 32, [1, 2, 3]);
    await expect(detectText(session, picture)).rejects.toThrow('no probability map');
    await expect(detectText({ ...session, inputNames: ['a', 'b'] }, picture)).rejects.toThrow('one input');
  });
});
