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
  const { batch, ic, ih, iw, oc, oh, ow, kh, kw, groups, epilogue } = problem.conv;
  const pixels = oh * ow;
  const dst = new Float64Array(batch * oc * pixels);
  const icg = ic / groups;
  const ocg = oc / groups;
  for (const place of places(problem, operands)) {
    const { n, channels, tap, pixel, position, scale, extents } = place;
    for (let c = channels.begin; c < channels.end; c++) {
      const value = between(operands.src, (n * ic + c) * ih * iw, extents, position) * scale;
      const group = Math.floor(c / icg);
      for (let o = group * ocg; o < (group + 1) * ocg; o++) {
        const weight = operands.weights[(o * icg + (c % icg)) * kh * kw + tap] ?? 0;
        dst[(n * oc + o) * pixels + pixel] = (dst[(n * oc + o) * pixels + pixel] ?? 0) + value * weight;
      }
    }
  }
  return dst.map((sum, index) => {
    const bias = operands.bias?.[Math.floor(index / pixels) % oc] ?? 0;
    return applyActivation(epilogue.activation, sum + bias + (operands.residual?.[index] ?? 0));
  });
}

interface Place {
  readonly n: number;
  /** Of the offset group. */
  readonly channels: { readonly begin: number; readonly end: number };
  readonly tap: number;
  /** Number of the output element in its channel. */
  readonly pixel: number;
  readonly extents: readonly number[];
  /** Along each axis of the source. */
  readonly position: readonly number[];
  /** The mask. */
  readonly scale: number;
}

/** Where each tap of each output reads; the channels of an offset group read at the same place. */
function* places(problem: DeformConvProblem, { offset, mask }: DeformConvOperands): Generator<Place> {
  const { conv, offsetGroups } = problem;
  const windows = windowsOf(problem);
  const extents = windows.map(({ input }) => input);
  const pixels = conv.oh * conv.ow;
  const width = conv.ic / offsetGroups;
  const taps = conv.kh * conv.kw;
  for (let plane = 0; plane < conv.batch * offsetGroups * taps; plane++) {
    const tap = plane % taps;
    const group = Math.floor(plane / taps) % offsetGroups;
    const n = Math.floor(plane / taps / offsetGroups);
    const channels = { begin: group * width, end: (group + 1) * width };
    const steps = coordinates(tap, windows, 'kernel');
    for (let pixel = 0; pixel < pixels; pixel++) {
      const outputs = coordinates(pixel, windows, 'output');
      const position = windows.map(({ stride, dilation, padBegin }, axis) => {
        const moved = offset[(windows.length * plane + axis) * pixels + pixel] ?? 0;
        return (outputs[axis] ?? 0) * stride - padBegin + (steps[axis] ?? 0) * dilation + moved;
      });
      const scale = mask === undefined ? 1 : (mask[plane * pixels + pixel] ?? 0);
      yield { n, channels, tap, pixel, extents, position, scale };
    }
  }
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
