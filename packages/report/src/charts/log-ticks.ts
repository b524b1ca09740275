/** Ticks of a logarithmic axis at round numbers, as many as there is room for. */

/** Steps within a decade, from the densest; powers of ten alone where not even they fit are thinned. */
const STEPS: readonly (readonly number[])[] = [[1, 2, 5], [1, 3], [1]];

/** Values from `low` to `high`, both above zero, about `most` at most; at least one power of ten where one is there. */
export function logTicks(low: number, high: number, most: number): readonly number[] {
  for (const steps of STEPS) {
    const ticks = ticksAt(steps, low, high, 1);
    if (ticks.length <= most) return ticks;
  }
  const decades = Math.log10(high / low);
  return ticksAt([1], low, high, Math.ceil(decades / Math.max(1, most)));
}

function ticksAt(steps: readonly number[], low: number, high: number, stride: number): readonly number[] {
  const ticks: number[] = [];
  const first = Math.floor(Math.floor(Math.log10(low)) / stride) * stride;
  for (let power = first; power <= Math.log10(high); power += stride) {
    for (const step of steps) {
      const value = Number(`${step}e${power}`);
      if (value >= low && value <= high) ticks.push(value);
    }
  }
  return ticks;
}
