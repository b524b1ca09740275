/** Arrangements of constant matrices and biases for kernels that hold vec4 of output channels; made once at load. */
import { type OperandArray, type OperandPacking, sameKind } from '@onegpu/core';
import { paddedChannels } from './layout.ts';

/** Rows of packed weights are a multiple of this, so that a block of channels may read whole. */
const ROW_UNIT = 32;

/** Weights [rows, columns] as [columns padded with zeros][rows padded to vec4], so that neighbours read neighbours. */
export function transposedPacking(operand: string, rows: number, columns: number): OperandPacking {
  const stored = paddedChannels(rows);
  const pack = <T extends OperandArray>(source: T): T => {
    const packed = sameKind(source, Math.ceil(columns / ROW_UNIT) * ROW_UNIT * stored);
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        packed[column * stored + row] = source[row * columns + column] ?? 0;
      }
    }
    return packed;
  };
  return { operand, key: `transposed/${rows}x${columns}`, pack };
}

/** A bias in whole vec4. */
export function vectorPacking(operand: string, length: number): readonly OperandPacking[] {
  if (length % 4 === 0) return [];
  const pack = <T extends OperandArray>(source: T): T => {
    const padded = sameKind(source, paddedChannels(length));
    padded.set(source);
    return padded;
  };
  return [{ operand, key: 'pad4', pack }];
}
