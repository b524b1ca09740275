/** Tap tables as kernels read them, one axis after the other. Weights are rounded here, once. */
import { type AxisTaps, OUTSIDE } from './plan.ts';

/** Source positions alone, for axes of one tap. */
export function positionTable(axes: readonly AxisTaps[]): Uint32Array {
  return Uint32Array.from(axes.flatMap(({ index }) => [...index]));
}

/** (source position, bits of the float32 weight) of every tap. */
export function weightedTable(axes: readonly AxisTaps[]): Uint32Array {
  const words = axes.map(({ weight }) => new Uint32Array(Float32Array.from(weight).buffer));
  return interleave(axes, words, 1);
}

/**
 * (source position, low and high word of the weight in units of 2^-62) of every tap; the weights of a position sum to
 * 2^62 exactly.
 */
export function fixedPointTable(axes: readonly AxisTaps[]): Uint32Array {
  const words = axes.map((axis) => new Uint32Array(fixedWeights(axis).buffer));
  return interleave(axes, words, 2);
}

/** Weights below 2 in units of 2^-52 are whole numbers of 53 bits. */
function fixedWeights({ taps, index, weight }: AxisTaps): BigInt64Array {
  const one = 1n << 62n;
  const fixed = BigInt64Array.from(weight, (value) => BigInt(Math.round(value * 2 ** 52)) << 10n);
  for (let from = 0; from < index.length; from += taps) {
    if (index[from] === OUTSIDE) continue;
    const row = fixed.subarray(from, from + taps);
    const largest = row.reduce((best, value, tap) => (value > (row[best] ?? 0n) ? tap : best), 0);
    const sum = row.reduce((total, value) => total + value, 0n);
    row[largest] = (row[largest] ?? 0n) + one - sum;
  }
  return fixed;
}

/** (source position, then `each` words of the weight) of every tap. */
function interleave(axes: readonly AxisTaps[], weights: readonly Uint32Array[], each: number): Uint32Array {
  const table = new Uint32Array(axes.reduce((total, axis) => total + (1 + each) * axis.index.length, 0));
  let at = 0;
  axes.forEach(({ index }, axis) => {
    for (let tap = 0; tap < index.length; tap++) {
      table[at++] = index[tap] ?? 0;
      for (let word = 0; word < each; word++) table[at++] = weights[axis]?.[tap * each + word] ?? 0;
    }
  });
  return table;
}
