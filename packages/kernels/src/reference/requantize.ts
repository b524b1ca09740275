/** int32 sums to bytes with the roundings of float32 that the definition asks for. */
import type { RequantizeProblem } from '../qlinear/requantize.ts';
import { roundHalfEven } from './activation.ts';
import { broadcastPosition } from './matmul-integer.ts';

export interface RequantizeValues {
  readonly srcScale: ArrayLike<number>;
  readonly weightsScale: ArrayLike<number>;
  readonly dstScale: ArrayLike<number>;
  readonly dstZeroPoint?: ArrayLike<number> | undefined;
  readonly bias?: ArrayLike<number> | undefined;
}

/** @returns whole numbers of the problem's type for dense sums. */
export function referenceRequantize(
  { dims, operands, type }: Pick<RequantizeProblem, 'dims' | 'operands' | 'type'>,
  sums: Int32Array,
  values: RequantizeValues,
): Float64Array {
  const [low, high] = type === 'int8' ? [-128, 127] : [0, 255];
  return Float64Array.from(sums, (sum, position) => {
    const read = (name: keyof RequantizeValues): number =>
      values[name]?.[broadcastPosition(position, dims, operands[name] ?? [])] ?? 0;
    const product = Math.fround(read('srcScale') * read('weightsScale'));
    const multiplier = Math.fround(product / read('dstScale'));
    const scaled = Math.fround(Math.fround((sum + read('bias')) | 0) * multiplier);
    if (Number.isNaN(scaled)) return low;
    return Math.min(Math.max(roundHalfEven(scaled) + read('dstZeroPoint'), low), high);
  });
}
