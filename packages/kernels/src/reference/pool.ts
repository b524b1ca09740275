/** Max, average and Lp pooling in float64, plain loops over an NCDHW array. */
import type { PoolProblem } from '../pool/problem.ts';

interface Tap {
  readonly value: number;
  readonly plane: number;
  readonly d: number;
  readonly h: number;
  readonly w: number;
}

/** @returns dst in NCDHW order. */
export function referencePool(problem: PoolProblem, src: ArrayLike<number>): Float64Array {
  return Float64Array.from(windows(problem, src), ({ taps, counted }) => {
    const values = taps.map((tap) => tap.value);
    if (problem.operation === 'max') return best(taps)?.value ?? LOWEST[problem.element];
    if (problem.operation === 'average') return sum(values) / counted;
    return sum(values.map((value) => Math.abs(value) ** problem.power)) ** (1 / problem.power);
  });
}

/** Where each maximum lies in src, in the problem's order; -1 where a window holds padding alone. */
export function referencePoolIndices(problem: PoolProblem, src: ArrayLike<number>): Float64Array {
  const { depth, height, width, indices } = problem;
  return Float64Array.from(windows(problem, src), ({ taps }) => {
    const tap = best(taps);
    if (tap === undefined) return -1;
    const { plane, d, h, w } = tap;
    if (indices === 'column-major') {
      return ((plane * width.input + w) * height.input + h) * depth.input + d;
    }
    return ((plane * depth.input + d) * height.input + h) * width.input + w;
  });
}

/** The largest root of the sum of a window's squares, divided as the average is: how far its partial sums may go. */
export function averageWalk(problem: PoolProblem, src: ArrayLike<number>): number {
  let most = 0;
  for (const { taps, counted } of windows(problem, src)) {
    const walk = Math.sqrt(sum(taps.map((tap) => tap.value ** 2))) / counted;
    if (walk > most) most = walk;
  }
  return most;
}

const LOWEST: Readonly<Record<PoolProblem['element'], number>> = {
  float32: -3.4028234663852886e38,
  float16: -65504,
  int8: -128,
  uint8: 0,
};

interface Taps {
  readonly taps: readonly Tap[];
  /** What the average divides by. */
  readonly counted: number;
}

/** The taps of each output element, in order. */
function* windows(problem: PoolProblem, src: ArrayLike<number>): Generator<Taps> {
  const { srcDims, depth, height, width } = problem;
  const planes = (srcDims[0] ?? 0) * (srcDims[1] ?? 0);
  for (let plane = 0; plane < planes; plane++) {
    for (let od = 0; od < depth.output; od++) {
      for (let oh = 0; oh < height.output; oh++) {
        for (let ow = 0; ow < width.output; ow++) yield windowAt(problem, src, { plane, od, oh, ow });
      }
    }
  }
}

function windowAt(
  { depth, height, width, countIncludePad }: PoolProblem,
  src: ArrayLike<number>,
  { plane, od, oh, ow }: { plane: number; od: number; oh: number; ow: number },
): Taps {
  const taps: Tap[] = [];
  let counted = 0;
  for (let kd = 0; kd < depth.kernel; kd++) {
    for (let kh = 0; kh < height.kernel; kh++) {
      for (let kw = 0; kw < width.kernel; kw++) {
        const d = od * depth.stride - depth.padBegin + kd * depth.dilation;
        const h = oh * height.stride - height.padBegin + kh * height.dilation;
        const w = ow * width.stride - width.padBegin + kw * width.dilation;
        const inside = d >= 0 && d < depth.input && h >= 0 && h < height.input && w >= 0 && w < width.input;
        const padded =
          d < depth.input + depth.padEnd &&
          h < height.input + height.padEnd &&
          w < width.input + width.padEnd;
        if (inside) {
          const at = ((plane * depth.input + d) * height.input + h) * width.input + w;
          taps.push({ value: src[at] ?? 0, plane, d, h, w });
        }
        if (inside || (countIncludePad && padded)) counted += 1;
      }
    }
  }
  return { taps, counted };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The first of the largest; NaN is below every number, -0 below 0. */
function best(taps: readonly Tap[]): Tap | undefined {
  return taps.reduce<Tap | undefined>(
    (first, tap) => (first === undefined || isAbove(tap.value, first.value) ? tap : first),
    undefined,
  );
}

function isAbove(value: number, other: number): boolean {
  if (Number.isNaN(value)) return false;
  if (Number.isNaN(other)) return true;
  return value > other || (value === 0 && Object.is(value, 0) && Object.is(other, -0));
}
