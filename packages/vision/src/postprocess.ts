/**
 * From a probability map to text boxes, as PP-OCR does it (https://arxiv.org/abs/1911.08947, section 3.4):
 * binarise, connected regions, smallest rectangle around each, mean probability inside, grow the rectangle back to
 * the text it was shrunk from, scale to the picture, and sort in reading order.
 */
import { connectedComponents, type Run } from './components.ts';
import type { BoxConfig } from './config.ts';
import type { PictureSize } from './picture.ts';
import type { ProbabilityMap } from './probability-map.ts';
import {
  type Corners,
  growRectangle,
  minimumAreaRectangle,
  type Point,
  type Rectangle,
  rectangleCorners,
} from './rectangle.ts';

export interface TextBox {
  /** Corners in pixels of the picture: top-left, top-right, bottom-right, bottom-left. */
  readonly corners: Corners;
  /** Mean probability inside the box before it grew, 0..1. */
  readonly score: number;
}

/** The text boxes of a probability map, in pixels of a picture of `pictureSize`, in reading order. */
export function boxesFromMap(
  map: ProbabilityMap,
  pictureSize: PictureSize,
  config: BoxConfig,
): readonly TextBox[] {
  const sums = rowSums(map);
  const boxes: TextBox[] = [];
  for (const runs of connectedComponents(map.data, map, config.binaryThreshold)) {
    const rectangle = minimumAreaRectangle(endPoints(runs));
    if (rectangle === undefined || shortSide(rectangle) < config.minimumSide) continue;
    const score = meanInside(sums, map, rectangleCorners(rectangle));
    if (score < config.boxThreshold) continue;
    const grown = growRectangle(rectangle, unclipDistance(rectangle, config.unclipRatio));
    if (shortSide(grown) < config.minimumSide + 2) continue;
    boxes.push({ corners: scaleCorners(rectangleCorners(grown), map, pictureSize), score });
  }
  return inReadingOrder(boxes);
}

/** The ends of a region's runs: they hold every corner of its convex hull. */
function endPoints(runs: readonly Run[]): Point[] {
  return runs.flatMap(({ y, start, end }): Point[] =>
    start === end
      ? [[start, y]]
      : [
          [start, y],
          [end, y],
        ],
  );
}

function shortSide(rectangle: Rectangle): number {
  return Math.min(rectangle.width, rectangle.height);
}

/** Training shrinks a text polygon by area * (1 - r^2) / perimeter; this distance grows it back. */
export function unclipDistance({ width, height }: Rectangle, ratio: number): number {
  return (width * height * ratio) / (2 * (width + height));
}

/** Sums along each row, one more value a row than the map: entry x is the sum of the pixels before x. */
function rowSums({ data, width, height }: ProbabilityMap): Float64Array {
  const sums = new Float64Array((width + 1) * height);
  for (let y = 0; y < height; y++) {
    let sum = 0;
    for (let x = 0; x < width; x++) {
      sum += data[y * width + x] ?? 0;
      sums[y * (width + 1) + x + 1] = sum;
    }
  }
  return sums;
}

/** Mean of the pixels whose centres lie in the convex polygon or on its edge; 0 where there are none. */
function meanInside(sums: Float64Array, { width, height }: PictureSize, polygon: Corners): number {
  const rows = polygon.map((point) => point[1]);
  const top = Math.max(0, Math.ceil(Math.min(...rows) - EDGE));
  const bottom = Math.min(height - 1, Math.floor(Math.max(...rows) + EDGE));
  let sum = 0;
  let count = 0;
  for (let y = top; y <= bottom; y++) {
    const [low, high] = rowSpan(polygon, y);
    const first = Math.max(0, Math.ceil(low - EDGE));
    const last = Math.min(width - 1, Math.floor(high + EDGE));
    if (last < first) continue;
    const row = y * (width + 1);
    sum += (sums[row + last + 1] ?? 0) - (sums[row + first] ?? 0);
    count += last - first + 1;
  }
  return count === 0 ? 0 : sum / count;
}

/** Slack in pixels that keeps centres on an edge inside after rounding in float64. */
const EDGE = 1e-6;

/** Where a horizontal line meets a convex polygon: least and greatest x. */
function rowSpan(polygon: Corners, y: number): readonly [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  polygon.forEach((from, index) => {
    const to = polygon[(index + 1) % 4] as Point;
    if (y < Math.min(from[1], to[1]) - EDGE || y > Math.max(from[1], to[1]) + EDGE) return;
    const height = to[1] - from[1];
    const crossings =
      Math.abs(height) <= EDGE
        ? [from[0], to[0]]
        : [from[0] + (to[0] - from[0]) * Math.min(1, Math.max(0, (y - from[1]) / height))];
    low = Math.min(low, ...crossings);
    high = Math.max(high, ...crossings);
  });
  return [low, high];
}

function scaleCorners(corners: Corners, map: PictureSize, picture: PictureSize): Corners {
  const scale = ([x, y]: Point): Point => [
    Math.min(picture.width, Math.max(0, (x * picture.width) / map.width)),
    Math.min(picture.height, Math.max(0, (y * picture.height) / map.height)),
  ];
  return [scale(corners[0]), scale(corners[1]), scale(corners[2]), scale(corners[3])];
}

/**
 * Top to bottom, and left to right among boxes of one line: those whose middle lies within half a box height of
 * the line's first box.
 */
export function inReadingOrder(boxes: readonly TextBox[]): readonly TextBox[] {
  const placed = boxes
    .map((box) => ({
      box,
      middle: mean(box.corners, 1),
      left: mean(box.corners, 0),
      half: lineHeight(box) / 2,
    }))
    .sort((a, b) => a.middle - b.middle || a.left - b.left);
  const lines: (typeof placed)[] = [];
  for (const entry of placed) {
    const line = lines.at(-1);
    const head = line?.[0];
    if (line && head && entry.middle - head.middle < Math.min(entry.half, head.half)) line.push(entry);
    else lines.push([entry]);
  }
  return lines.flatMap((line) => line.sort((a, b) => a.left - b.left).map((entry) => entry.box));
}

function mean(corners: Corners, axis: 0 | 1): number {
  return corners.reduce((sum, point) => sum + point[axis], 0) / 4;
}

function lineHeight({ corners: [topLeft, topRight, bottomRight] }: TextBox): number {
  const distance = (a: Point, b: Point): number => Math.hypot(a[0] - b[0], a[1] - b[1]);
  return Math.min(distance(topLeft, topRight), distance(topRight, bottomRight));
}
