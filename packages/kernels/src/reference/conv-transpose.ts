/**
 * Transposed convolution in float64, as its name says: every input element scatters its products over the output.
 * The kernels gather instead, so the two share no index arithmetic.
 */
interface ReferenceAxis {
  readonly input: number;
  readonly output: number;
  readonly kernel: number;
  readonly stride: number;
  readonly dilation: number;
  readonly padBegin: number;
}

export interface ConvTransposeReferenceShape {
  readonly batch: number;
  readonly groups: number;
  readonly ic: number;
  readonly oc: number;
  readonly vertical: ReferenceAxis;
  readonly horizontal: ReferenceAxis;
}

export interface ConvTransposeReferenceOperands {
  /** [batch, ic, ih, iw]. */
  readonly src: Float32Array | Float64Array;
  /** [ic, oc / groups, kh, kw]. */
  readonly weights: Float32Array;
  /** [oc]. */
  readonly bias?: Float32Array | undefined;
  /** [batch, oc, oh, ow]. */
  readonly residual?: Float32Array | undefined;
}

/** Result before the activation, dense [batch, oc, oh, ow]. */
export function convTransposeReference(
  shape: ConvTransposeReferenceShape,
  operands: ConvTransposeReferenceOperands,
): Float64Array {
  const { batch, groups, ic, oc, vertical, horizontal } = shape;
  const plane = vertical.output * horizontal.output;
  const dst = new Float64Array(batch * oc * plane);
  const ocPerGroup = oc / groups;
  const icPerGroup = ic / groups;
  for (let b = 0; b < batch; b++) {
    for (let k = 0; k < ic; k++) {
      const firstChannel = Math.floor(k / icPerGroup) * ocPerGroup;
      for (let c = 0; c < ocPerGroup; c++) {
        const from = (b * ic + k) * vertical.input * horizontal.input;
        const to = (b * oc + firstChannel + c) * plane;
        scatterPlane(shape, operands, { from, to, weights: k * ocPerGroup + c }, dst);
      }
    }
  }
  return dst.map((sum, index) => {
    const channel = Math.floor(index / plane) % oc;
    return sum + (operands.bias?.[channel] ?? 0) + (operands.residual?.[index] ?? 0);
  });
}

/** One input plane through the taps of one filter into one output plane, all given by where they start. */
function scatterPlane(
  { vertical, horizontal }: ConvTransposeReferenceShape,
  { src, weights }: ConvTransposeReferenceOperands,
  planes: { from: number; to: number; weights: number },
  dst: Float64Array,
): void {
  for (let r = 0; r < vertical.kernel; r++) {
    for (let s = 0; s < horizontal.kernel; s++) {
      const weight = weights[(planes.weights * vertical.kernel + r) * horizontal.kernel + s] ?? 0;
      for (let iy = 0; iy < vertical.input; iy++) {
        const y = iy * vertical.stride + r * vertical.dilation - vertical.padBegin;
        if (y < 0 || y >= vertical.output) continue;
        const row = planes.to + y * horizontal.output;
        const left = s * horizontal.dilation - horizontal.padBegin;
        for (let ix = 0; ix < horizontal.input; ix++) {
          const x = ix * horizontal.stride + left;
          if (x < 0 || x >= horizontal.output) continue;
          const value = src[planes.from + iy * horizontal.input + ix] as number;
          dst[row + x] = (dst[row + x] as number) + value * weight;
        }
      }
    }
  }
}
