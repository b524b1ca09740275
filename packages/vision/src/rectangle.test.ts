/** The smallest rectangle against an exhaustive search, and the order of corners. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  growRectangle,
  minimumAreaRectangle,
  type Point,
  type Rectangle,
  rectangleCorners,
} from './rectangle.ts';

const area = ({ width, height }: Rectangle): number => width * height;

/** Smallest area over every direction between two of the points. */
function exhaustiveArea(points: readonly Point[]): number {
  let best = Number.POSITIVE_INFINITY;
  for (const a of points) {
    for (const b of points) {
      const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
      if (length === 0) continue;
      const along = points.map((p) => (p[0] * (b[0] - a[0]) + p[1] * (b[1] - a[1])) / length);
      const across = points.map((p) => (p[1] * (b[0] - a[0]) - p[0] * (b[1] - a[1])) / length);
      const extent = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);
      best = Math.min(best, extent(along) * extent(across));
    }
  }
  return best;
}

describe('minimumAreaRectangle', () => {
  it('is as small as the best of all directions and holds every point', () => {
    const point = fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 40 }));
    fc.assert(
      fc.property(fc.array(point, { minLength: 3, maxLength: 14 }), (points) => {
        const rectangle = minimumAreaRectangle(points);
        if (rectangle === undefined) return;
        expect(area(rectangle)).toBeCloseTo(exhaustiveArea(points), 6);
        for (const [x, y] of points) {
          const dx = x - rectangle.centre[0];
          const dy = y - rectangle.centre[1];
          const along = dx * rectangle.axis[0] + dy * rectangle.axis[1];
          const across = dy * rectangle.axis[0] - dx * rectangle.axis[1];
          expect(Math.abs(along)).toBeLessThanOrEqual(rectangle.width / 2 + 1e-9);
          expect(Math.abs(across)).toBeLessThanOrEqual(rectangle.height / 2 + 1e-9);
        }
      }),
    );
  });

  it('has none for points without area', () => {
    expect(minimumAreaRectangle([])).toBeUndefined();
    expect(minimumAreaRectangle([[3, 4]])).toBeUndefined();
    expect(
      minimumAreaRectangle([
        [0, 0],
        [2, 2],
        [7, 7],
      ]),
    ).toBeUndefined();
  });
});

describe('rectangleCorners', () => {
  it('starts at the top left and goes clockwise', () => {
    const corners = rectangleCorners({ centre: [10, 20], axis: [0, 1], width: 4, height: 10 });
    expect(corners).toEqual([
      [5, 18],
      [15, 18],
      [15, 22],
      [5, 22],
    ]);
  });

  it('goes round the rectangle at every angle', () => {
    for (let degrees = 0; degrees < 360; degrees += 7) {
      const radians = (degrees * Math.PI) / 180;
      const axis: Point = [Math.cos(radians), Math.sin(radians)];
      const corners = rectangleCorners({ centre: [0, 0], axis, width: 9, height: 4 });
      const sides = corners.map(([x, y], index) => {
        const [nextX, nextY] = corners[(index + 1) % 4] ?? [0, 0];
        return Math.hypot(nextX - x, nextY - y);
      });
      expect(sides[0]).toBeCloseTo(sides[2] ?? 0, 9);
      expect((sides[0] ?? 0) * (sides[1] ?? 0)).toBeCloseTo(36, 9);
    }
  });

  it('grows by the distance on every side', () => {
    const grown = growRectangle({ centre: [0, 0], axis: [1, 0], width: 4, height: 2 }, 3);
    expect(rectangleCorners(grown)[0]).toEqual([-5, -4]);
  });
});
