/** Tap tables as kernels read them, one axis after the other. Weights are rounded to float32 here, once. */
import type { AxisTaps } from './plan.ts';

/** Source positions alone, for axes of one tap. */
export function positionTable(axes: readonly AxisTaps[]): Uint32Array {
  return Uint32Array.from(axes.flatMap(({ index }) => [...index]));
}

/** (source position, bits of the float32 weight) of every tap. */
export function weightedTable(axes: readonly AxisTaps[]): Uint32Array {
  return pairs(axes, ({ weight }) => new Uint32Array(Float32Array.from(weight).buffer));
}

/** (source position, word of the weight) of every tap. */
export function pairs(
  axes: readonly AxisTaps[],
  wordsOf: (axis: AxisTaps) => ArrayLike<number>,
): Uint32Array {
  const table = new Uint32Array(axes.reduce((total, axis) => total + 2 * axis.index.length, 0));
  let at = 0;
  for (const axis of axes) {
    const words = wordsOf(axis);
    for (let tap = 0; tap < axis.index.length; tap++) {
      table[at++] = axis.index[tap] ?? 0;
      table[at++] = words[tap] ?? 0;
    }
  }
  return table;
}
