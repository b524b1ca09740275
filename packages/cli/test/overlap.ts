/** Overlap of convex polygons: cuts one with each side of the other (Sutherland and Hodgman, 1974). */
import { polygonArea } from 'd3-polygon';
import type { Point } from '../src/detect/rectangle.ts';

/** Area of the intersection over area of the union, 0..1; both polygons convex, any direction. */
export function overlapOfPolygons(a: readonly Point[], b: readonly Point[]): number {
  const areaA = area(a);
  const areaB = area(b);
  const shared = area(intersection(a, b));
  return shared / (areaA + areaB - shared);
}

function area(polygon: readonly Point[]): number {
  return Math.abs(polygonArea(polygon.map(([x, y]) => [x, y])));
}

function intersection(subject: readonly Point[], clip: readonly Point[]): readonly Point[] {
  const sign = Math.sign(polygonArea(clip.map(([x, y]) => [x, y])));
  return clip.reduce<readonly Point[]>((rest, from, index) => {
    const to = clip[(index + 1) % clip.length] ?? from;
    const side = ([x, y]: Point): number =>
      -sign * ((to[0] - from[0]) * (y - from[1]) - (to[1] - from[1]) * (x - from[0]));
    return rest.flatMap((point, at): readonly Point[] => {
      const next = rest[(at + 1) % rest.length] ?? point;
      const here = side(point);
      const there = side(next);
      const kept = here >= 0 ? [point] : [];
      if (here < 0 === there < 0) return kept;
      const t = here / (here - there);
      return [...kept, [point[0] + (next[0] - point[0]) * t, point[1] + (next[1] - point[1]) * t]];
    });
  }, subject);
}
