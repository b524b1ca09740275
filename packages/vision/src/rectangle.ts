/**
 * Rotated rectangles: the smallest one around a set of points, found with rotating calipers over the convex hull
 * (one side of the smallest rectangle lies on an edge of the hull; Freeman and Shapira, 1975,
 * https://doi.org/10.1145/360881.360919), and growing one by an even margin.
 */
import { polygonHull } from 'd3-polygon';

export type Point = readonly [x: number, y: number];

/** Corners top-left, top-right, bottom-right, bottom-left: clockwise as seen on a picture. */
export type Corners = readonly [Point, Point, Point, Point];

export interface Rectangle {
  readonly centre: Point;
  /** Unit vector along `width`; `height` runs along the vector turned by 90 degrees. */
  readonly axis: Point;
  readonly width: number;
  readonly height: number;
}

/** The rectangle of least area around the points; undefined where they span no area. */
export function minimumAreaRectangle(points: readonly Point[]): Rectangle | undefined {
  const hull = polygonHull(points.map(([x, y]) => [x, y]));
  if (hull === null || hull.length < 3) return undefined;
  let best: Rectangle | undefined;
  for (const rectangle of rectanglesOnEdges(hull)) {
    if (best === undefined || rectangle.width * rectangle.height < best.width * best.height) best = rectangle;
  }
  return best;
}

/** The tight rectangle on each edge of a convex polygon; the three far points only ever move forward. */
function* rectanglesOnEdges(given: readonly Point[]): Generator<Rectangle> {
  const hull = counterClockwise(given);
  const at = (index: number): Point => hull[index % hull.length] as Point;
  let right = 1;
  let far = 1;
  let left = 1;
  for (let edge = 0; edge < hull.length; edge++) {
    const origin = at(edge);
    const axis = unit(origin, at(edge + 1));
    const normal: Point = [-axis[1], axis[0]];
    const along = (index: number, direction: Point): number =>
      dot(at(index), direction) - dot(origin, direction);
    right = Math.max(right, edge + 1);
    while (along(right + 1, axis) > along(right, axis)) right++;
    far = Math.max(far, right);
    while (along(far + 1, normal) > along(far, normal)) far++;
    left = Math.max(left, far);
    while (along(left + 1, axis) < along(left, axis)) left++;
    const low = along(left, axis);
    const width = along(right, axis) - low;
    const height = along(far, normal);
    const middle = low + width / 2;
    yield {
      centre: [
        origin[0] + axis[0] * middle + (normal[0] * height) / 2,
        origin[1] + axis[1] * middle + (normal[1] * height) / 2,
      ],
      axis,
      width,
      height,
    };
  }
}

/** The polygon with its inside at the left of each edge (x to the right, y up). */
function counterClockwise(polygon: readonly Point[]): readonly Point[] {
  let doubled = 0;
  polygon.forEach(([x, y], index) => {
    const [nextX, nextY] = polygon[(index + 1) % polygon.length] as Point;
    doubled += x * nextY - nextX * y;
  });
  return doubled >= 0 ? polygon : [...polygon].reverse();
}

function dot(a: Point, b: Point): number {
  return a[0] * b[0] + a[1] * b[1];
}

function unit(from: Point, to: Point): Point {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
  return [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
}

/** The rectangle with every side moved outwards by `distance`. */
export function growRectangle(rectangle: Rectangle, distance: number): Rectangle {
  return { ...rectangle, width: rectangle.width + 2 * distance, height: rectangle.height + 2 * distance };
}

/**
 * The corners in the order top-left, top-right, bottom-right, bottom-left. Of the two leftmost corners the upper
 * one is top-left, of the other two the upper one is top-right: neighbours in a rectangle at any angle.
 */
export function rectangleCorners({ centre, axis, width, height }: Rectangle): Corners {
  const corner = (alongWidth: number, alongHeight: number): Point => [
    centre[0] + (axis[0] * alongWidth * width - axis[1] * alongHeight * height) / 2,
    centre[1] + (axis[1] * alongWidth * width + axis[0] * alongHeight * height) / 2,
  ];
  const sorted = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)].sort((a, b) => a[0] - b[0]);
  const [a, b, c, d] = sorted as unknown as Corners;
  const [topLeft, bottomLeft] = a[1] <= b[1] ? [a, b] : [b, a];
  const [topRight, bottomRight] = c[1] <= d[1] ? [c, d] : [d, c];
  return [topLeft, topRight, bottomRight, bottomLeft];
}
