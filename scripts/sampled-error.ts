/**
 * The scaled error of a large picture from outputs spread evenly over it, channels, edges and tiles all with their turn:
 * float64 JavaScript would take minutes for the whole of a layer.
 */
import { scaledError } from '@onegpu/bench';

export interface Place {
  readonly n: number;
  readonly o: number;
  readonly y: number;
  readonly x: number;
}

const SAMPLES = 2000;

/** max|y - r| / max|r| over the samples of [batch, oc, oh, ow]. */
export function sampledError(
  dims: readonly [batch: number, oc: number, oh: number, ow: number],
  got: (place: Place) => number,
  expected: (place: Place) => number,
): number {
  const [batch, oc, oh, ow] = dims;
  const length = batch * oc * oh * ow;
  // Odd, so that it shares no factor with extents that are powers of two.
  const step = Math.max(1, Math.floor(length / SAMPLES) | 1);
  const places = Array.from({ length: Math.ceil(length / step) }, (_, i): Place => {
    const index = i * step;
    const [x, y] = [index % ow, Math.floor(index / ow) % oh];
    return { n: Math.floor(index / (ow * oh * oc)), o: Math.floor(index / (ow * oh)) % oc, y, x };
  });
  return scaledError(places.map(got), places.map(expected));
}
