/** Boxes from drawn probability maps: rotated lines, borders, nothing, noise, and the work for many regions. */

import { intersectionOverUnion } from '@onegpu/test-models';
import { describe, expect, it } from 'vitest';
import { connectedComponents } from './components.ts';
import { PP_OCR_DETECTION } from './config.ts';
import { boxesFromMap, inReadingOrder, unclipDistance } from './postprocess.ts';
import type { ProbabilityMap } from './probability-map.ts';
import { growRectangle, type Point, type Rectangle, rectangleCorners } from './rectangle.ts';

function line(centre: Point, size: readonly [number, number], degrees: number): Rectangle {
  const radians = (degrees * Math.PI) / 180;
  return { centre, axis: [Math.cos(radians), Math.sin(radians)], width: size[0], height: size[1] };
}

function drawMap(
  size: { width: number; height: number },
  rectangles: readonly Rectangle[],
  value = 0.9,
): ProbabilityMap {
  const data = new Float32Array(size.width * size.height);
  for (const { centre, axis, width, height } of rectangles) {
    for (let pixel = 0; pixel < data.length; pixel++) {
      const dx = (pixel % size.width) - centre[0];
      const dy = Math.floor(pixel / size.width) - centre[1];
      const inside =
        Math.abs(dx * axis[0] + dy * axis[1]) <= width / 2 &&
        Math.abs(dy * axis[0] - dx * axis[1]) <= height / 2;
      if (inside) data[pixel] = value;
    }
  }
  return { ...size, data };
}

const size = { width: 160, height: 128 };

describe('boxesFromMap', () => {
  it.each([0, 12, 45, 67, 90, 133, -30])('finds a line turned by %i degrees and grows it', (degrees) => {
    const core = line([80, 64], [90, 16], degrees);
    const boxes = boxesFromMap(drawMap(size, [core]), size, PP_OCR_DETECTION);
    expect(boxes).toHaveLength(1);
    const expected = growRectangle(core, unclipDistance(core, PP_OCR_DETECTION.unclipRatio));
    const clipped = rectangleCorners(expected).map(
      ([x, y]): Point => [Math.min(160, Math.max(0, x)), Math.min(128, Math.max(0, y))],
    );
    expect(intersectionOverUnion(boxes[0]?.corners ?? [], clipped)).toBeGreaterThan(0.9);
    expect(boxes[0]?.score).toBeGreaterThan(0.85);
  });

  it('grows an upright box by area * ratio / perimeter', () => {
    const boxes = boxesFromMap(drawMap(size, [line([50, 40], [40, 10], 0)]), size, PP_OCR_DETECTION);
    const distance = (40 * 10 * 1.5) / 100;
    expect(boxes[0]?.corners[0][0]).toBeCloseTo(30 - distance, 9);
    expect(boxes[0]?.corners[0][1]).toBeCloseTo(35 - distance, 9);
    expect(boxes[0]?.corners[2][0]).toBeCloseTo(70 + distance, 9);
    expect(boxes[0]?.corners[2][1]).toBeCloseTo(45 + distance, 9);
  });

  it('scales to the picture and stays inside it', () => {
    const map = drawMap(size, [line([20, 5], [80, 12], 0)]);
    const picture = { width: 320, height: 640 };
    const [box] = boxesFromMap(map, picture, PP_OCR_DETECTION);
    const flat = (box?.corners ?? []).flat();
    expect(Math.min(...flat)).toBe(0);
    expect(box?.corners[2][0]).toBeGreaterThan(120);
    expect(box?.corners[2][1]).toBeGreaterThan(55);
    expect(box?.corners[2][1]).toBeLessThan(100);
  });

  it('finds nothing in an empty map, in specks, and in weak regions', () => {
    expect(boxesFromMap(drawMap(size, []), size, PP_OCR_DETECTION)).toEqual([]);
    const speck = line([20, 20], [2, 2], 0);
    expect(boxesFromMap(drawMap(size, [speck]), size, PP_OCR_DETECTION)).toEqual([]);
    const weak = drawMap(size, [line([60, 60], [50, 14], 0)], 0.5);
    expect(boxesFromMap(weak, size, PP_OCR_DETECTION)).toEqual([]);
    expect(boxesFromMap(weak, size, { ...PP_OCR_DETECTION, boxThreshold: 0.4 })).toHaveLength(1);
  });

  it('takes the whole map as one region', () => {
    const full: ProbabilityMap = { ...size, data: new Float32Array(size.width * size.height).fill(1) };
    const [box] = boxesFromMap(full, size, PP_OCR_DETECTION);
    expect(box?.corners).toEqual([
      [0, 0],
      [160, 0],
      [160, 128],
      [0, 128],
    ]);
    expect(box?.score).toBe(1);
  });

  it('takes tens of thousands of regions and one region of many branches', () => {
    const wide = { width: 1200, height: 1200 };
    const dots = new Float32Array(wide.width * wide.height);
    const comb = new Float32Array(wide.width * wide.height);
    for (let pixel = 0; pixel < dots.length; pixel++) {
      const x = pixel % wide.width;
      const y = Math.floor(pixel / wide.width);
      if (x % 8 < 5 && y % 8 < 5) dots[pixel] = 1;
      if (x % 2 === 0 || y === wide.height - 1) comb[pixel] = 1;
    }
    expect(boxesFromMap({ ...wide, data: dots }, wide, PP_OCR_DETECTION)).toHaveLength(150 * 150);
    expect(connectedComponents(comb, wide, 0.5)).toHaveLength(1);
  });
});

describe('connectedComponents', () => {
  it('joins diagonal neighbours and branches that meet late', () => {
    const picture = ['#..#...#', '.##...#.', '#....#..', '#.#.#.##', '###.#.#.'];
    const map = Float32Array.from(picture.join(''), (mark) => (mark === '#' ? 1 : 0));
    const components = connectedComponents(map, { width: 8, height: 5 }, 0.5);
    expect(components.map((runs) => runs.length)).toEqual([7, 7]);
  });
});

describe('inReadingOrder', () => {
  it('goes line by line although a word sits a little higher', () => {
    const box = (x: number, y: number) => ({
      corners: rectangleCorners(line([x, y], [40, 20], 2)),
      score: x,
    });
    const sorted = inReadingOrder([box(200, 52), box(30, 100), box(100, 47), box(30, 50), box(150, 103)]);
    expect(sorted.map(({ score }) => score)).toEqual([30, 100, 200, 30, 150]);
  });
});
