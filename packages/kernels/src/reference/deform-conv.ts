/** Deformable convolution in float64 over any number of axes, as plain loops over outputs, channels and taps. */
import type { DeformConvProblem } from '../deform-conv/problem.ts';
import type { AxisWindow } from '../shared/conv-geometry.ts';
import { applyActivation } from './activation.ts';

export interface DeformConvOperands {
  /** [batch, ic, ...spatial] */
  readonly src: ArrayLike<number>;
  /** [oc, ic / groups, ...kernel] */
  readonly weights: ArrayLike<number>;
  /** [batch, offsetGroups, taps, axes, ...spatial] */
  readonly offset: ArrayLike<number>;
  /** [batch, offsetGroups, taps, ...spatial] */
  readonly mask?: ArrayLike<number> | undefined;
  /** [oc] */
  readonly bias?: ArrayLike<number> | undefined;
  /** [batch, oc, ...spatial] */
  readonly residual?: ArrayLike<number> | undefined;
}

/** Dense [batch, oc, ...spatial] with the problem's epilogue applied. */
export function referenceDeformConv(problem: DeformConvProblem, operands: DeformConvOperands): Float64Array {
  const { batch, ic, oc, oh, ow, kh, kw, groups, epilogue } = problem.conv;
  const pixels = oh * ow;
  const dst = new Float64Array(batch * oc * pixels);
  const icg = ic / groups;
  for (let n = 0; n < batch; n++) {
    for (let c = 0; c < ic; c++) {
      const group = Math.floor(c / icg);
      for (let tap = 0; tap < kh * kw; tap++) {
        for (let pixel = 0; pixel < pixels; pixel++) {
          const value = sampleTap(problem, operands, { n, c, tap, pixel });
          for (let o = (group * oc) / groups; o < ((group + 1) * oc) / groups; o++) {
            const weight = operands.weights[(o * icg + (c % icg)) * kh * kw + tap] ?? 0;
            dst[(n * oc + o) * pixels + pixel] = (dst[(n * oc + o) * pixels + pixel] ?? 0) + value * weight;
          }
        }
      }
    }
  }
  return dst.map((sum, index) => {
    const bias = operands.bias?.[Math.floor(index / pixels) % oc] ?? 0;
    return applyActivation(epilogue.activation, sum + bias + (operands.residual?.[index] ?? 0));
  });
}

interface Tap {
  readonly n: number;
  readonly c: number;
  readonly tap: number;
  /** Number of the output element in its channel. */
  readonly pixel: number;
}

function sampleTap(problem: DeformConvProblem, { src, offset, mask }: DeformConvOperands, at: Tap): number {
  const { conv, offsetGroups } = problem;
  const { n, c, tap, pixel } = at;
  const pixels = conv.oh * conv.ow;
  const plane = (n * offsetGroups + Math.floor(c / (conv.ic / offsetGroups))) * conv.kh * conv.kw + tap;
  const windows = windowsOf(problem);
  const places = coordinates(pixel, windows, 'output');
  const taps = coordinates(tap, windows, 'kernel');
  const position = windows.map(({ stride, dilation, padBegin }, axis) => {
    const moved = offset[(windows.length * plane + axis) * pixels + pixel] ?? 0;
    return (places[axis] ?? 0) * stride - padBegin + (taps[axis] ?? 0) * dilation + moved;
  });
  const extents = windows.map(({ input }) => input);
  const value = between(src, (n * conv.ic + c) * conv.ih * conv.iw, extents, position);
  return value * (mask === undefined ? 1 : (mask[plane * pixels + pixel] ?? 0));
}

/** One window an axis. */
function windowsOf({ conv, volume, axes }: DeformConvProblem): readonly AxisWindow[] {
  if (volume !== undefined) return [volume.depth, volume.height, volume.width];
  const { ih, iw, oh, ow, kh, kw, strideH, strideW, dilationH, dilationW } = conv;
  const rows = { input: ih, output: oh, kernel: kh, stride: strideH, dilation: dilationH };
  const columns = { input: iw, output: ow, kernel: kw, stride: strideW, dilation: dilationW };
  const across = { ...columns, padBegin: conv.padLeft, padEnd: conv.padRight };
  return axes === 1 ? [across] : [{ ...rows, padBegin: conv.padTop, padEnd: conv.padBottom }, across];
}

/** What a number counts along each axis, the last running first. */
function coordinates(index: number, windows: readonly AxisWindow[], extent: 'output' | 'kernel'): number[] {
  let rest = index;
  return windows
    .toReversed()
    .map((window) => {
      const coordinate = rest % window[extent];
      rest = Math.floor(rest / window[extent]);
      return coordinate;
    })
    .reverse();
}

/** Linear along each axis in turn; zero outside. */
function between(
  src: ArrayLike<number>,
  first: number,
  extents: readonly number[],
  position: readonly number[],
): number {
  const [extent = 0, ...inner] = extents;
  const [place = 0, ...rest] = position;
  if (!(place > -1 && place < extent)) return 0;
  const size = inner.reduce((product, each) => product * each, 1);
  const below = Math.floor(place);
  const at = (index: number): number => {
    if (index < 0 || index >= extent) return 0;
    return inner.length === 0 ? (src[first + index] ?? 0) : between(src, first + index * size, inner, rest);
  };
  return at(below) * (below + 1 - place) + at(below + 1) * (place - below);
}
