/**
 * Resize in float64: one axis after the other, each output position from ONNX's own formulas, with no tables and
 * no rational arithmetic; positions within 2^-32 of a tie are one, lest the last bit of a division decide it.
 */
import type { NearestMode, ResizeAxis, Sampling } from '../resize/plan.ts';
import type { ResizeProblem } from '../resize/problem.ts';

/** @returns dst [dstDims] before the epilogue and before rounding to integers; `src` is dense and row-major. */
export function referenceResize(problem: ResizeProblem, src: ArrayLike<number>): Float64Array {
  const { srcDims, dstDims, sampling, axes } = problem;
  const count = (dims: readonly number[]): number => dims.reduce((product, extent) => product * extent, 1);
  let values: Float64Array = new Float64Array(src);
  for (let at = axes.length - 1; at >= 0; at--) {
    const axis = axes[at];
    if (axis === undefined) continue;
    values = resample(values, count(srcDims.slice(0, at)), axis, count(dstDims.slice(at + 1)), sampling);
  }
  return values;
}

/** src [before, axis.input, after] -> dst [before, axis.output, after]. */
function resample(
  src: Float64Array,
  before: number,
  axis: ResizeAxis,
  after: number,
  sampling: Sampling,
): Float64Array {
  const dst = new Float64Array(before * axis.output * after);
  for (let o = 0; o < before; o++) {
    for (let x = 0; x < axis.output; x++) {
      for (let i = 0; i < after; i++) {
        const read = (at: number): number => {
          const inside = Math.min(Math.max(at, 0), axis.input - 1);
          return src[(o * axis.input + inside) * after + i] ?? 0;
        };
        dst[(o * axis.output + x) * after + i] = interpolate(axis, x, sampling, read);
      }
    }
  }
  return dst;
}

function interpolate(axis: ResizeAxis, x: number, sampling: Sampling, read: (at: number) => number): number {
  const { scaleNumerator, scaleDenominator } = axis;
  const cropped = axis.crop !== undefined && (axis.crop.start !== 0 || axis.crop.end !== 1);
  if (axis.input === axis.output && scaleNumerator === scaleDenominator && !cropped) return read(x);
  const at = steady(coordinate(axis, x, sampling));
  if (axis.crop !== undefined && (at < 0 || at > axis.input - 1)) return sampling.extrapolation;
  const below = Math.floor(at);
  const rest = at - below;
  if (sampling.mode === 'nearest') return read(nearest(below, rest, nearestMode(axis, sampling)));
  const shrink = sampling.antialias ? Math.min(scaleNumerator / scaleDenominator, 1) : 1;
  const reach = Math.ceil((sampling.mode === 'cubic' ? 2 : 1) / shrink);
  let value = 0;
  let total = 0;
  for (let offset = -reach; offset <= reach + 1; offset++) {
    const position = below + offset;
    if (sampling.excludeOutside && (position < 0 || position >= axis.input)) continue;
    const weight = filter(Math.abs(offset - rest) * shrink, sampling);
    value += weight * read(position);
    total += weight;
  }
  return total === 0 ? read(below) : value / total;
}

/** Whole and half positions, freed from the rounding of the formulas. */
function steady(at: number): number {
  const tie = Math.round(2 * at) / 2;
  return Math.abs(at - tie) < 2 ** -32 ? tie : at;
}

function coordinate(axis: ResizeAxis, x: number, sampling: Sampling): number {
  const { input, output } = axis;
  const scale = axis.scaleNumerator / axis.scaleDenominator;
  switch (sampling.coordinates) {
    case 'half_pixel':
      return (x + 0.5) / scale - 0.5;
    case 'pytorch_half_pixel':
      return output > 1 ? (x + 0.5) / scale - 0.5 : 0;
    case 'half_pixel_symmetric': {
      const adjustment = output / (scale * input);
      return (input / 2) * (1 - adjustment) + (x + 0.5) / scale - 0.5;
    }
    case 'align_corners':
      return output > 1 ? (x * (input - 1)) / (scale * input - 1) : 0;
    case 'asymmetric':
      return x / scale;
    case 'tf_crop_and_resize': {
      const { start, end } = axis.crop ?? { start: 0, end: 1 };
      const last = scale * input - 1;
      const part = last === 0 ? 0.5 : x / last;
      return (start * (1 - part) + end * part) * (input - 1);
    }
  }
}

function nearestMode(axis: ResizeAxis, { nearest: mode }: Sampling): NearestMode {
  if (mode !== 'by_direction') return mode;
  return axis.scaleNumerator < axis.scaleDenominator ? 'ceil' : 'floor';
}

function nearest(below: number, rest: number, mode: NearestMode): number {
  switch (mode) {
    case 'round_prefer_floor':
      return rest <= 0.5 ? below : below + 1;
    case 'round_prefer_ceil':
      return rest < 0.5 ? below : below + 1;
    case 'floor':
      return below;
    case 'by_direction':
    case 'ceil':
      return rest === 0 ? below : below + 1;
  }
}

function filter(distance: number, sampling: Sampling): number {
  if (sampling.mode === 'linear') return distance < 1 ? 1 - distance : 0;
  const a = sampling.cubicCoefficient;
  if (distance <= 1) return (a + 2) * distance ** 3 - (a + 3) * distance ** 2 + 1;
  if (distance < 2) return a * distance ** 3 - 5 * a * distance ** 2 + 8 * a * distance - 4 * a;
  return 0;
}
