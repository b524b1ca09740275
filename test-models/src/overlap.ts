/**
 * Overlap of convex polygons, for comparing a box that was found with the one that was drawn. The intersection is
 * cut out side by side (Sutherland and Hodgman, https://doi.org/10.1145/360767.360802), areas come from the
 * shoelace formula.
 */

/** x to the right, y down. */
export type Point = readonly [x: number, y: number];

/** Area of the intersection over that of the union, 0..1; corners of both in clockwise order as seen in a picture. */
export function intersectionOverUnion(a: readonly Point[], b: readonly Point[]): number {
  const shared = polygonArea(intersection(a, b));
  const union = polygonArea(a) + polygonArea(b) - shared;
  return union === 0 ? 0 : shared / union;
}

function polygonArea(corners: readonly Point[]): number {
  return Math.abs(edges(corners).reduce((sum, [[ax, ay], [bx, by]]) => sum + ax * by - bx * ay, 0)) / 2;
}

function intersection(subject: readonly Point[], clip: readonly Point[]): readonly Point[] {
  return edges(clip).reduce<readonly Point[]>((rest, edge) => cutOff(rest, edge), subject);
}

/** The part of a polygon on the inner side of the line through `a` and `b`. */
function cutOff(corners: readonly Point[], [a, b]: readonly [Point, Point]): readonly Point[] {
  const inward = ([x, y]: Point): number => (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
  return edges(corners).flatMap(([from, to]) => {
    const [here, there] = [inward(from), inward(to)];
    const kept: Point[] = here >= 0 ? [from] : [];
    if (here >= 0 === there >= 0) return kept;
    const t = here / (here - there);
    return [...kept, [from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1])] as const];
  });
}

function edges(corners: readonly Point[]): (readonly [Point, Point])[] {
  return corners.map((corner, i) => [corner, corners[(i + 1) % corners.length] ?? corner] as const);
}
