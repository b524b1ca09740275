/** A map of values as colours: transparent where low, the page's heat colours where high. */
import type { ProbabilityMap } from '@onegpu/vision';

/** From cold to hot, [red, green, blue, alpha]; evenly spaced. */
const STOPS = [
  [20, 11, 52, 60],
  [84, 15, 109, 130],
  [187, 55, 84, 190],
  [249, 142, 8, 215],
  [252, 255, 164, 230],
] as const;

export function drawHeatMap(
  canvas: HTMLCanvasElement,
  map: ProbabilityMap,
  range: 'probability' | 'own',
): void {
  const { data, width, height } = map;
  const [low, high] = range === 'probability' ? [0, 1] : extentOf(data);
  canvas.width = width;
  canvas.height = height;
  const pixels = new ImageData(width, height);
  const scale = high > low ? 255 / (high - low) : 0;
  for (let pixel = 0; pixel < width * height; pixel++) {
    const level = Math.max(0, Math.min(255, Math.round(((data[pixel] ?? low) - low) * scale)));
    pixels.data.set(TABLE.subarray(level * 4, level * 4 + 4), pixel * 4);
  }
  canvas.getContext('2d')?.putImageData(pixels, 0, 0);
}

/** Least and greatest value that is a number. */
export function extentOf(data: Float32Array): readonly [low: number, high: number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of data) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [0, 0];
}

/** The colour of each of 256 levels. */
const TABLE = Uint8ClampedArray.from({ length: 256 * 4 }, (_, index) => {
  const at = (Math.floor(index / 4) / 255) * (STOPS.length - 1);
  const before = Math.min(Math.floor(at), STOPS.length - 2);
  const from = STOPS[before]?.[index % 4] ?? 0;
  const to = STOPS[before + 1]?.[index % 4] ?? 0;
  return from + (to - from) * (at - before);
});
