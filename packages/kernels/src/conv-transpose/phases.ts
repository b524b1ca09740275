/**
 * Which taps reach an output element. Along one axis t = o + pad = i * stride + r * dilation, so the taps r that
 * reach o depend on t mod stride alone (its phase): r = first(phase), first + step, ... with
 * step = stride / gcd(stride, dilation); each step moves the source index back by dilation * step / stride.
 */
export interface AxisPhases {
  /** First tap of every phase, `kernel` where no tap reaches the phase. */
  readonly first: readonly number[];
  /** Distance between the taps of a phase. */
  readonly step: number;
  /** Most taps of any phase. */
  readonly taps: number;
}

export function axisPhases(axis: { kernel: number; stride: number; dilation: number }): AxisPhases {
  const { kernel, stride, dilation } = axis;
  const step = stride / greatestCommonDivisor(stride, dilation);
  const first = Array.from({ length: stride }, (_, phase) => {
    for (let tap = 0; tap < Math.min(step, kernel); tap++) {
      if ((tap * dilation) % stride === phase) return tap;
    }
    return kernel;
  });
  return { first, step, taps: Math.ceil(kernel / step) };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
