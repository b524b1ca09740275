/**
 * Constant right-hand matrices as the kernels read them: [rows padded to 4][columns padded to 4], dense, zeros in
 * the padding, so that every load is one whole vec4 along the columns and terms past the end add nothing.
 */
import { type OperandArray, sameKind } from '@onegpu/core';
import { paddedChannels } from '../shared/layout.ts';

export interface MatrixPacking {
  readonly count: number;
  readonly rows: number;
  readonly columns: number;
  /** The source lies as [columns, rows]. */
  readonly transposed: boolean;
}

/** `count` matrices packed one after the other. */
export function packMatrices<T extends OperandArray>(source: T, packing: MatrixPacking): T {
  const { count, rows, columns, transposed } = packing;
  const stride = paddedChannels(columns);
  const size = paddedChannels(rows) * stride;
  const packed = sameKind(source, count * size);
  const rowStep = transposed ? 1 : columns;
  const columnStep = transposed ? rows : 1;
  for (let matrix = 0; matrix < count; matrix++) {
    for (let row = 0; row < rows; row++) {
      const from = matrix * rows * columns + row * rowStep;
      const to = matrix * size + row * stride;
      for (let column = 0; column < columns; column++) {
        packed[to + column] = source[from + column * columnStep] ?? 0;
      }
    }
  }
  return packed;
}
