/**
 * Constant weights for dot products of four bytes: signed bytes (unsigned ones less 128, a flip of the top bit), four
 * input channels a word, [taps, groupIc / 4, oc padded to 4] words, zeros in the padding; behind them the sum of each
 * output channel's weights as int32, which the zero point of src is multiplied with.
 */
import { type OperandArray, sameKind } from '@onegpu/core';
import { paddedChannels } from '../shared/layout.ts';

export interface WeightsShape {
  readonly oc: number;
  /** Input channels of a group. */
  readonly ic: number;
  readonly taps: number;
  /** The source lies as [ic, oc], taps 1, and not as [oc, ic, taps]. */
  readonly transposed: boolean;
}

export function packDotWeights<T extends OperandArray>(source: T, shape: WeightsShape): T {
  const { oc, ic, taps, transposed } = shape;
  const offset = source instanceof Uint8Array ? 128 : 0;
  const columns = paddedChannels(oc);
  const rows = taps * (paddedChannels(ic) / 4);
  const bytes = new Int8Array((rows + 1) * columns * 4);
  const sums = new Int32Array(bytes.buffer, rows * columns * 4, columns);
  for (let o = 0; o < oc; o++) {
    for (let c = 0; c < ic; c++) {
      for (let tap = 0; tap < taps; tap++) {
        const value = (source[transposed ? c * oc + o : (o * ic + c) * taps + tap] ?? 0) - offset;
        const row = tap * (paddedChannels(ic) / 4) + Math.floor(c / 4);
        bytes[(row * columns + o) * 4 + (c % 4)] = value;
        sums[o] = (sums[o] ?? 0) + value;
      }
    }
  }
  const packed = sameKind(source, bytes.length);
  packed.set(bytes);
  return packed;
}
