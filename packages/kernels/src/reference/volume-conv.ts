/**
 * Convolution and transposed convolution over three spatial axes in float64, as plain loops: every source voxel meets
 * every tap, and adds its products where their output voxel exists. The kernels gather instead, so the two share no index
 * arithmetic. Sums before bias, residual and activation come first.
 */
import type { VolumeConvProblem } from '../volume-conv/problem.ts';
import type { VolumeConvTransposeProblem } from '../volume-conv-transpose/problem.ts';
import { applyActivation } from './activation.ts';

export interface VolumeOperands {
  /** [batch, ic, depth, height, width] */
  readonly src: ArrayLike<number>;
  /** Conv: [oc, ic / groups, kd, kh, kw]; transposed: [ic, oc / groups, kd, kh, kw]. */
  readonly weights: ArrayLike<number>;
  /** [oc] */
  readonly bias?: ArrayLike<number> | undefined;
  /** [batch, oc, depth, height, width] */
  readonly residual?: ArrayLike<number> | undefined;
}

type Axes = Pick<VolumeConvProblem, 'depth' | 'height' | 'width'>;
type Axis = Axes['depth'];
type Reach = (axis: Axis, input: number, tap: number) => number;

/** Output index that an input index reaches through a tap; no integer, or outside, where it reaches none. */
const slidingReach: Reach = ({ padBegin, stride, dilation }, input, tap) =>
  (input + padBegin - tap * dilation) / stride;
const transposedReach: Reach = ({ padBegin, stride, dilation }, input, tap) =>
  input * stride + tap * dilation - padBegin;

/** Pairs (input, output) of indices that a tap connects. */
function pairs(axis: Axis, tap: number, reach: Reach): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  for (let input = 0; input < axis.input; input++) {
    const output = reach(axis, input, tap);
    if (Number.isInteger(output) && output >= 0 && output < axis.output) found.push([input, output]);
  }
  return found;
}

/** Dense [batch, oc, depth, height, width] with the problem's epilogue applied. */
export function referenceVolumeConv(problem: VolumeConvProblem, operands: VolumeOperands): Float64Array {
  const { oc, ic, groups } = problem;
  const weightPlane = (o: number, c: number): number => o * (ic / groups) + (c % (ic / groups));
  return sumVolumes({ ...problem, oc }, operands, slidingReach, weightPlane);
}

/** As `referenceVolumeConv`. */
export function referenceVolumeConvTranspose(
  problem: VolumeConvTransposeProblem,
  operands: VolumeOperands,
): Float64Array {
  const columns = problem.oc / problem.groups;
  return sumVolumes(problem, operands, transposedReach, (o, c) => c * columns + (o % columns));
}

function sumVolumes(
  problem: Omit<VolumeConvTransposeProblem, 'dstDims'>,
  { src, weights, bias, residual }: VolumeOperands,
  reach: Reach,
  weightPlane: (o: number, c: number) => number,
): Float64Array {
  const { batch, ic, oc, groups, depth, height, width, epilogue } = problem;
  const inputs = depth.input * height.input * width.input;
  const outputs = depth.output * height.output * width.output;
  const dst = new Float64Array(batch * oc * outputs);
  const taps = depth.kernel * height.kernel * width.kernel;
  for (let tap = 0; tap < taps; tap++) {
    const planes = pairs(depth, Math.floor(tap / width.kernel / height.kernel), reach);
    const rows = pairs(height, Math.floor(tap / width.kernel) % height.kernel, reach);
    const columns = pairs(width, tap % width.kernel, reach);
    for (let n = 0; n < batch; n++) {
      for (let o = 0; o < oc; o++) {
        const group = Math.floor(o / (oc / groups));
        for (let c = (group * ic) / groups; c < ((group + 1) * ic) / groups; c++) {
          const weight = weights[weightPlane(o, c) * taps + tap] ?? 0;
          for (const [iz, z] of planes) {
            for (const [iy, y] of rows) {
              const from = (n * ic + c) * inputs + (iz * height.input + iy) * width.input;
              const to = (n * oc + o) * outputs + (z * height.output + y) * width.output;
              for (const [ix, x] of columns)
                dst[to + x] = (dst[to + x] ?? 0) + (src[from + ix] ?? 0) * weight;
            }
          }
        }
      }
    }
  }
  return dst.map((sum, index) => {
    const shifted = sum + (bias?.[Math.floor(index / outputs) % oc] ?? 0) + (residual?.[index] ?? 0);
    return applyActivation(epilogue.activation, shifted);
  });
}
