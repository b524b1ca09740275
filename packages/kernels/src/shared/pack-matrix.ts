/** Arrangements of constant matrices and biases for kernels that hold vec4 of output channels; made once at load. */
import { type OperandArray, type OperandPacking, sameKind } from '@onegpu/core';
import { paddedChannels } from './layout.ts';
import { packFilters } from './move-filters.ts';

/** Rows of packed weights are a multiple of this, so that a block of channels may read whole. */
const ROW_UNIT = 32;

/** Weights [rows, columns] as [columns padded with zeros][rows padded to vec4], so that neighbours read neighbours. */
export function transposedPacking(operand: string, rows: number, columns: number): OperandPacking {
  const stored = paddedChannels(rows);
  const packing = {
    length: Math.ceil(columns / ROW_UNIT) * ROW_UNIT * stored,
    moves: [{ filters: rows, channels: columns, taps: 1, channelStride: stored, tapStride: 0 }],
  };
  return {
    operand,
    key: `transposed/${rows}x${columns}`,
    elements: packing.length,
    pack: (source, memory) => packFilters(source, packing, memory),
  };
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
