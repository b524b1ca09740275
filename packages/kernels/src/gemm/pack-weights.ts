/**
 * Constant right-hand matrices as the kernels read them: [rows padded to 4][columns padded to 4], dense, zeros in
 * the padding, so that every load is one whole vec4 along the columns and terms past the end add nothing.
 */
import { type OperandArray, type PackingMemory, sameKind } from '@onegpu/core';
import { paddedChannels } from '../shared/layout.ts';
import { packFilters } from '../shared/move-filters.ts';

export interface MatrixPacking {
  readonly count: number;
  readonly rows: number;
  readonly columns: number;
  /** The source lies as [columns, rows]. */
  readonly transposed: boolean;
}

/** `count` matrices packed one after the other. */
export function packMatrices<T extends OperandArray>(
  source: T,
  packing: MatrixPacking,
  memory: PackingMemory = sameKind,
): T {
  const { count, rows, columns, transposed } = packing;
  const stride = paddedChannels(columns);
  const size = paddedChannels(rows) * stride;
  if (transposed) {
    const moves = Array.from({ length: count }, (_, matrix) => ({
      ...{ filters: columns, channels: rows, taps: 1, from: matrix * rows * columns, to: matrix * size },
      ...{ channelStride: stride, tapStride: 0 },
    }));
    return packFilters(source, { length: count * size, moves }, memory);
  }
  const packed = memory(source, count * size);
  for (let row = 0; row < count * rows; row++) {
    const to = Math.floor(row / rows) * size + (row % rows) * stride;
    packed.set(source.subarray(row * columns, (row + 1) * columns), to);
  }
  return packed;
}
