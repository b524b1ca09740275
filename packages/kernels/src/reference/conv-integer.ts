/** Integer convolution by plain loops over NCHW, sums wrapped to int32. */
import type { ConvIntegerProblem } from '../conv-integer/problem.ts';

export interface ConvIntegerOperands {
  readonly src: ArrayLike<number>;
  readonly weights: ArrayLike<number>;
  /** One number. */
  readonly srcZeroPoint?: ArrayLike<number> | undefined;
  /** One number, or one an output channel. */
  readonly weightsZeroPoint?: ArrayLike<number> | undefined;
}

/** @returns dst in NCHW order. */
export function referenceConvInteger(problem: ConvIntegerProblem, operands: ConvIntegerOperands): Int32Array {
  const { batch, oc, ic, groups, axes } = problem;
  const [depth, height, width] = axes;
  const [groupIc, groupOc] = [ic / groups, oc / groups];
  const srcZero = operands.srcZeroPoint?.[0] ?? 0;
  const dst = new Int32Array(batch * oc * depth.output * height.output * width.output);
  let at = 0;
  for (let n = 0; n < batch; n++) {
    for (let o = 0; o < oc; o++) {
      const zeros = operands.weightsZeroPoint;
      const weightsZero = (zeros?.length === 1 ? zeros[0] : zeros?.[o]) ?? 0;
      for (let od = 0; od < depth.output; od++) {
        for (let oh = 0; oh < height.output; oh++) {
          for (let ow = 0; ow < width.output; ow++) {
            let sum = 0;
            for (let c = 0; c < groupIc; c++) {
              for (let kd = 0; kd < depth.kernel; kd++) {
                for (let kh = 0; kh < height.kernel; kh++) {
                  for (let kw = 0; kw < width.kernel; kw++) {
                    const id = od * depth.stride + kd * depth.dilation - depth.padBegin;
                    const ih = oh * height.stride + kh * height.dilation - height.padBegin;
                    const iw = ow * width.stride + kw * width.dilation - width.padBegin;
                    if (id < 0 || id >= depth.input || ih < 0 || ih >= height.input) continue;
                    if (iw < 0 || iw >= width.input) continue;
                    const channel = Math.floor(o / groupOc) * groupIc + c;
                    const pixel = (id * height.input + ih) * width.input + iw;
                    const plane = depth.input * height.input * width.input;
                    const tap = (kd * height.kernel + kh) * width.kernel + kw;
                    const taps = depth.kernel * height.kernel * width.kernel;
                    const value = (operands.src[(n * ic + channel) * plane + pixel] ?? 0) - srcZero;
                    sum += value * ((operands.weights[(o * groupIc + c) * taps + tap] ?? 0) - weightsZero);
                  }
                }
              }
            }
            dst[at++] = sum;
          }
        }
      }
    }
  }
  return dst;
}
