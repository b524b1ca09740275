/**
 * The coordinate arithmetic of Resize, done once for a shape on the host in float64: for every output position of
 * an axis the source positions it reads and their weights. Scales are ratios of whole numbers wherever sizes say
 * so, which makes every coordinate one correctly rounded division: an integer factor never falls short of its
 * source position. Devices only gather, so all of them use the same taps.
 * https://onnx.ai/onnx/operators/onnx__Resize.html
 */

export type ResizeMode = 'nearest' | 'linear' | 'cubic';

export type CoordinateMode =
  | 'half_pixel'
  | 'half_pixel_symmetric'
  | 'pytorch_half_pixel'
  | 'align_corners'
  | 'asymmetric'
  | 'tf_crop_and_resize';

/** `by_direction`, for models before opset 11: floor along an axis that grows, ceil along one that shrinks. */
export type NearestMode = 'round_prefer_floor' | 'round_prefer_ceil' | 'floor' | 'ceil' | 'by_direction';

export interface Sampling {
  readonly mode: ResizeMode;
  readonly coordinates: CoordinateMode;
  readonly nearest: NearestMode;
  /** Coefficient `a` of the cubic, -0.75 by default. */
  readonly cubicCoefficient: number;
  /** Taps outside the source weigh nothing (the others are rescaled) instead of repeating its edge. */
  readonly excludeOutside: boolean;
  /** Widens the filter when downsampling. */
  readonly antialias: boolean;
  /** Result at positions outside the source, which only `tf_crop_and_resize` has. */
  readonly extrapolation: number;
}

/** The part of an axis that `tf_crop_and_resize` samples: 0 is its first element, 1 its last; any order. */
export interface CropRange {
  readonly start: number;
  readonly end: number;
}

/** One axis; scale = scaleNumerator / scaleDenominator. */
export interface ResizeAxis {
  readonly input: number;
  readonly output: number;
  readonly scaleNumerator: number;
  readonly scaleDenominator: number;
  /** Set under `tf_crop_and_resize` only. */
  readonly crop?: CropRange;
}

/** Source position of an output position that lies outside the source and takes the extrapolation value. */
export const OUTSIDE = 0xffffffff;

/**
 * `taps` source positions and weights for each output position, [output, taps]; weights of a position sum to 1. All
 * positions of an output outside the source are `OUTSIDE`.
 */
export interface AxisTaps {
  readonly taps: number;
  readonly index: Uint32Array;
  readonly weight: Float64Array;
}

/** An axis that is only passed through. */
export function isUntouched(axis: ResizeAxis): boolean {
  const { start, end } = axis.crop ?? WHOLE;
  const whole = start === 0 && end === 1;
  return whole && axis.input === axis.output && axis.scaleNumerator === axis.scaleDenominator;
}

const WHOLE: CropRange = { start: 0, end: 1 };

/** Source position of output position `x`, as ONNX defines each mode. */
export function sourceCoordinate(axis: ResizeAxis, x: number, mode: CoordinateMode): number {
  const { input, output, scaleNumerator: n, scaleDenominator: d } = axis;
  switch (mode) {
    case 'half_pixel':
      return ((2 * x + 1) * d - n) / (2 * n);
    case 'pytorch_half_pixel':
      return output > 1 ? ((2 * x + 1) * d - n) / (2 * n) : 0;
    case 'half_pixel_symmetric':
      return ((input - 1) * n + (2 * x + 1 - output) * d) / (2 * n);
    case 'align_corners': {
      const last = n * input - d; // (resized length - 1) * d
      return last === 0 ? 0 : (x * (input - 1) * d) / last;
    }
    case 'asymmetric':
      return (x * d) / n;
    case 'tf_crop_and_resize': {
      const { start, end } = axis.crop ?? WHOLE;
      const last = n * input - d; // (resized length - 1) * d
      if (last === 0) return ((start + end) * (input - 1)) / 2;
      // The first two products and their sum are exact, so positions on the edge of the source are inside it.
      return ((start * (last - x * d) + end * x * d) * (input - 1)) / last;
    }
  }
}

/** Number of taps of an axis. */
export function tapCount(axis: ResizeAxis, sampling: Sampling): number {
  if (isUntouched(axis) || sampling.mode === 'nearest') return 1;
  return 2 - 2 * firstOffset(axis, sampling);
}

/** Taps of an axis for every output position. */
export function axisTaps(axis: ResizeAxis, sampling: Sampling): AxisTaps {
  const taps = tapCount(axis, sampling);
  const index = new Uint32Array(axis.output * taps);
  const weight = new Float64Array(axis.output * taps);
  for (let x = 0; x < axis.output; x++) {
    if (isOutside(axis, x, sampling)) {
      index.fill(OUTSIDE, x * taps, (x + 1) * taps);
      continue;
    }
    const positions = isUntouched(axis) ? [x] : sourcePositions(axis, x, taps, sampling);
    const weights = taps === 1 ? [1] : sourceWeights(axis, x, positions, sampling);
    positions.forEach((position, tap) => {
      index[x * taps + tap] = Math.min(Math.max(position, 0), axis.input - 1);
      weight[x * taps + tap] = weights[tap] ?? 0;
    });
  }
  return { taps, index, weight };
}

function isOutside(axis: ResizeAxis, x: number, { coordinates }: Sampling): boolean {
  if (coordinates !== 'tf_crop_and_resize' || isUntouched(axis)) return false;
  const at = sourceCoordinate(axis, x, coordinates);
  return at < 0 || at > axis.input - 1;
}

function sourcePositions(axis: ResizeAxis, x: number, taps: number, sampling: Sampling): readonly number[] {
  const at = sourceCoordinate(axis, x, sampling.coordinates);
  if (sampling.mode === 'nearest') return [nearestPosition(at, nearestMode(axis, sampling))];
  const first = Math.floor(at) + firstOffset(axis, sampling);
  return Array.from({ length: taps }, (_, tap) => first + tap);
}

function nearestMode(axis: ResizeAxis, { nearest }: Sampling): Exclude<NearestMode, 'by_direction'> {
  if (nearest !== 'by_direction') return nearest;
  return axis.scaleNumerator < axis.scaleDenominator ? 'ceil' : 'floor';
}

function nearestPosition(at: number, mode: Exclude<NearestMode, 'by_direction'>): number {
  switch (mode) {
    case 'round_prefer_floor':
      return Math.ceil(at - 0.5);
    case 'round_prefer_ceil':
      return Math.floor(at + 0.5);
    case 'floor':
      return Math.floor(at);
    case 'ceil':
      return Math.ceil(at);
  }
}

/** Offset of the first tap from the source position at or below the coordinate. */
function firstOffset(axis: ResizeAxis, sampling: Sampling): number {
  const radius = sampling.mode === 'cubic' ? 2 : 1;
  return Math.floor(-radius / filterScale(axis, sampling)) + 1;
}

/** Factor on distances: below 1 where antialiasing widens the filter. */
function filterScale(axis: ResizeAxis, sampling: Sampling): number {
  return sampling.antialias ? Math.min(axis.scaleNumerator / axis.scaleDenominator, 1) : 1;
}

function sourceWeights(
  axis: ResizeAxis,
  x: number,
  positions: readonly number[],
  sampling: Sampling,
): readonly number[] {
  const at = sourceCoordinate(axis, x, sampling.coordinates);
  const scale = filterScale(axis, sampling);
  const inside = (position: number): boolean => position >= 0 && position < axis.input;
  const raw = positions.map((position) => {
    if (sampling.excludeOutside && !inside(position)) return 0;
    const distance = Math.abs(position - at) * scale;
    return sampling.mode === 'cubic'
      ? cubicWeight(distance, sampling.cubicCoefficient)
      : Math.max(1 - distance, 0);
  });
  if (!sampling.excludeOutside && scale === 1) return raw;
  const sum = raw.reduce((total, value) => total + value, 0);
  // All taps beyond one end, where a length that is no whole number reaches: the edge, as without exclusion.
  if (sum === 0) return raw.map((_, tap) => (tap === 0 ? 1 : 0));
  return raw.map((value) => value / sum);
}

/** Keys' cubic convolution kernel. R. Keys, "Cubic convolution interpolation for digital image processing", 1981. */
function cubicWeight(distance: number, a: number): number {
  if (distance <= 1) return ((a + 2) * distance - (a + 3)) * distance * distance + 1;
  if (distance < 2) return (((distance - 5) * distance + 8) * distance - 4) * a;
  return 0;
}
