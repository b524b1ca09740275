import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { intersectionOverUnion, type Point } from './overlap.ts';
import { PICTURE_NAMES, picturePath, readSignDescription, type SignLine, signImagePath } from './sign.ts';

const square = (x: number, y: number, side: number): Point[] => [
  [x, y],
  [x + side, y],
  [x + side, y + side],
  [x, y + side],
];

describe('intersectionOverUnion', () => {
  it('is 1 for the same box, 0 for boxes apart and for boxes without an area', () => {
    expect(intersectionOverUnion(square(3, 4, 5), square(3, 4, 5))).toBe(1);
    expect(intersectionOverUnion(square(0, 0, 2), square(5, 0, 2))).toBe(0);
    expect(intersectionOverUnion(square(0, 0, 0), square(0, 0, 0))).toBe(0);
  });

  it('counts the shared part once', () => {
    expect(intersectionOverUnion(square(0, 0, 2), square(1, 1, 2))).toBeCloseTo(1 / 7, 12);
    expect(intersectionOverUnion(square(0, 0, 4), square(1, 1, 2))).toBeCloseTo(4 / 16, 12);
  });

  it('takes turned boxes', () => {
    const diamond: Point[] = [
      [1, 0],
      [2, 1],
      [1, 2],
      [0, 1],
    ];
    expect(intersectionOverUnion(square(0, 0, 2), diamond)).toBeCloseTo(0.5, 12);
    expect(intersectionOverUnion(diamond, square(0, 0, 2))).toBeCloseTo(0.5, 12);
  });
});

describe('the picture', () => {
  const angleOf = ({ corners }: SignLine): number => {
    const [[x0, y0] = [0, 0], [x1, y1] = [0, 0]] = corners;
    return (Math.atan2(y1 - y0, x1 - x0) * 180) / Math.PI;
  };

  it('has the size its description says', async () => {
    const { width, height } = await readSignDescription();
    const png = await readFile(signImagePath());
    // The header chunk of a PNG file starts with width and height, at byte 16.
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([width, height]);
  });

  it('shows several lines, one of them slanted', async () => {
    const { lines } = await readSignDescription();
    expect(lines).toHaveLength(8);
    expect(lines.filter((line) => Math.abs(angleOf(line) - 12) < 0.1).map(({ text }) => text)).toEqual([
      'Live music',
    ]);
    expect(lines.filter((line) => Math.abs(angleOf(line)) < 0.1)).toHaveLength(7);
  });

  it('keeps the lines inside the picture and apart from each other', async () => {
    const { width, height, lines } = await readSignDescription();
    for (const [x, y] of lines.flatMap(({ corners }) => corners)) {
      expect(x > 0 && x < width && y > 0 && y < height, `${x} ${y}`).toBe(true);
    }
    for (const [i, line] of lines.entries()) {
      for (const other of lines.slice(i + 1)) {
        expect(intersectionOverUnion(line.corners, other.corners), `${line.text} | ${other.text}`).toBe(0);
      }
    }
  });
});

it('has every picture as a PNG file', async () => {
  for (const name of PICTURE_NAMES) {
    const bytes = await readFile(picturePath(name));
    expect(bytes.toString('latin1', 1, 4), name).toBe('PNG');
  }
});
