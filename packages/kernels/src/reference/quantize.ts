/** Quantisation with every rounding that ONNX asks for: the quotient to its own type, then to a whole number. */
import type { DequantizeProblem, QuantizeProblem } from '../quantize/problem.ts';
import { roundHalfEven } from './activation.ts';
import { roundHalf } from './round-half.ts';

export interface Scales {
  readonly src: ArrayLike<number>;
  readonly scale: ArrayLike<number>;
  readonly zeroPoint?: ArrayLike<number> | undefined;
}

/** Position in the dense tensor to position among the scales. */
function scaleAt({ map, dims, layout }: QuantizeProblem | DequantizeProblem, position: number): number {
  if (map.kind === 'tensor') return 0;
  const inner =
    layout === 'nchw' ? map.inner : dims.slice(2).reduce((product, extent) => product * extent, 1);
  const row = Math.floor(position / inner);
  const index = row % map.channels;
  if (map.kind === 'axis') return index;
  const blocks = Math.ceil(map.channels / map.block);
  return (
    (Math.floor(row / map.channels) * blocks + Math.floor(index / map.block)) * inner + (position % inner)
  );
}

/** @returns whole numbers of the problem's type, dense. */
export function referenceQuantize(problem: QuantizeProblem, { src, scale, zeroPoint }: Scales): Float64Array {
  const [low, high] = rangeOf(problem.dst);
  return Float64Array.from(src, (value, position) => {
    const at = scaleAt(problem, position);
    const to = problem.precision === 'float16' ? roundHalf : Math.fround;
    const rounded = to(Math.fround(to(Math.fround(value)) / to(scale[at] ?? 0)));
    if (Number.isNaN(rounded)) return low;
    const zero = zeroPoint?.[at] ?? 0;
    return Math.min(Math.max(roundHalfEven(rounded) + zero, low), high);
  });
}

/** @returns float32 numbers, dense. */
export function referenceDequantize(
  problem: DequantizeProblem,
  { src, scale, zeroPoint }: Scales,
): Float64Array {
  return Float64Array.from(src, (value, position) => {
    const at = scaleAt(problem, position);
    return Math.fround(Math.fround((value - (zeroPoint?.[at] ?? 0)) | 0) * (scale[at] ?? 0));
  });
}

export interface DynamicQuantization {
  readonly dst: Float64Array;
  readonly scale: number;
  readonly zeroPoint: number;
}

/** Scale, zero point and elements of DynamicQuantizeLinear. */
export function referenceDynamicQuantize(src: ArrayLike<number>): DynamicQuantization {
  let [low, high] = [0, 0];
  for (let index = 0; index < src.length; index++) {
    low = Math.min(low, src[index] ?? 0);
    high = Math.max(high, src[index] ?? 0);
  }
  if (Number.isNaN(low)) [low, high] = [0, 0];
  const scale = low === high ? 1 : Math.fround(Math.fround(high - low) / 255);
  const bytes = (quotient: number, zero: number): number =>
    Number.isNaN(quotient) ? 0 : Math.min(Math.max(roundHalfEven(Math.fround(quotient)) + zero, 0), 255);
  const zeroPoint = bytes(-low / scale, 0);
  const dst = Float64Array.from(src, (value) => bytes(value / scale, zeroPoint));
  return { dst, scale, zeroPoint };
}

function rangeOf(type: QuantizeProblem['dst']): readonly [number, number] {
  const ranges = { int8: [-128, 127], uint8: [0, 255], int16: [-32768, 32767], uint16: [0, 65535] } as const;
  return ranges[type];
}
