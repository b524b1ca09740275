/**
 * The scaled error of single operators against float64, over float32 or float16 operands: the kernel that
 * deterministic mode chooses on this adapter, or one of Winograd's. Of the layers of networks samples are compared, of the others everything.
 * float16 inputs are rounded before both sides see them, so what is left is the sum in float32 and one rounding.
 */
import { type ConvLayer, layerRequest, scaledError } from '@onegpu/bench';
import { type DispatchPlan, type GpuDevice, halfToNumber, numberToHalf } from '@onegpu/core';
import {
  CONV_TRANSPOSE_ALGORITHMS,
  type ConvTransposeProblem,
  elementCount,
  type Layout,
  layoutElements,
  makeConvProblem,
  makeConvTransposeProblem,
  PLAIN_EPILOGUE,
  packNhwc4,
  paddedChannels,
  preferredConvTransposeLayout,
  selectConv,
  selectConvTranspose,
  unpackNhwc4,
} from '@onegpu/kernels';
import { normalValues, randomStream } from '@onegpu/test-models';
import { runPlan } from '@onegpu/testing';
import { sumTaps } from '../packages/kernels/src/reference/conv.ts';
import { type Place, sampledError } from './sampled-error.ts';

export type FloatType = 'float32' | 'float16';

export const OPTIONS = { mode: 'deterministic' } as const;

export interface LayerRun {
  readonly layer: ConvLayer;
  readonly batch: number;
  readonly type: FloatType;
  /** Default: what deterministic mode chooses. */
  readonly algorithm?: 'winograd' | 'winograd-2x2';
}

/** Whether the layer is one that may run by Winograd's products, on some device. */
export function takesWinograd({ ic, oc, transposed = false, ...layer }: ConvLayer): boolean {
  const { kernel, stride, groups = 1 } = layer;
  return !transposed && kernel === 3 && stride === 1 && groups === 1 && ic >= 64 && oc >= 64;
}

/** Of a layer with bias: values like those inside a network, half of the inputs zero. */
export function layerError(device: GpuDevice, run: LayerRun): Promise<number> {
  return run.layer.transposed === true ? transposedError(device, run) : slidingError(device, run);
}

async function slidingError(device: GpuDevice, run: LayerRun): Promise<number> {
  const epilogue = { ...PLAIN_EPILOGUE, bias: true };
  const problem = makeConvProblem(layerRequest(run.layer, { batch: run.batch, layout: 'nhwc4', epilogue }));
  const { batch, ic, ih, iw, oc, oh, ow, layout } = problem;
  const { algorithm } = run;
  const options = algorithm === undefined ? OPTIONS : ({ mode: 'fast', algorithm } as const);
  const { plan } = selectConv(problem, device.capabilities, options);
  const { src, weights, bias } = layerOperands(run);
  const dims = [batch, oc, oh, ow] as const;
  const inputs = { src: laidOut(src, [batch, ic, ih, iw], layout), weights, bias };
  const dst = await runStored(device, plan, { inputs, length: layoutElements(dims, layout), type: run.type });
  return sampledError(dims, placed(dst, dims, layout), (place) => {
    return sumTaps(problem, { src, weights }, place) + (bias[place.o] ?? 0);
  });
}

async function transposedError(device: GpuDevice, run: LayerRun): Promise<number> {
  const { ic, oc, size, kernel, stride } = run.layer;
  const { batch, type } = run;
  const srcDims = [batch, ic, size, size];
  const request = makeConvTransposeProblem({
    ...{ srcDims, weightsDims: [ic, oc, kernel, kernel], biasDims: [oc], strides: [stride, stride] },
    weightsConstant: true,
  });
  const layout = preferredConvTransposeLayout(request, device.capabilities, CONV_TRANSPOSE_ALGORITHMS);
  const problem = { ...request, layout, dstLayout: layout };
  const { plan } = selectConvTranspose(problem, device.capabilities, OPTIONS);
  const { src, weights, bias } = layerOperands(run);
  const dims = [batch, oc, problem.vertical.output, problem.horizontal.output] as const;
  const inputs = { src: laidOut(src, srcDims, layout), weights, bias };
  const dst = await runStored(device, plan, { inputs, length: layoutElements(dims, layout), type });
  return sampledError(dims, placed(dst, dims, layout), (place) => {
    return sumReachingTaps(problem, { src, weights }, place) + (bias[place.o] ?? 0);
  });
}

/** The sum of one output of a transposed convolution in one group. */
function sumReachingTaps(
  { ic, oc, vertical, horizontal }: ConvTransposeProblem,
  { src, weights }: { src: Float32Array; weights: Float32Array },
  { n, o, y, x }: Place,
): number {
  let sum = 0;
  for (let r = 0; r < vertical.kernel; r++) {
    const iy = (y + vertical.padBegin - r * vertical.dilation) / vertical.stride;
    if (!Number.isInteger(iy) || iy < 0 || iy >= vertical.input) continue;
    for (let s = 0; s < horizontal.kernel; s++) {
      const ix = (x + horizontal.padBegin - s * horizontal.dilation) / horizontal.stride;
      if (!Number.isInteger(ix) || ix < 0 || ix >= horizontal.input) continue;
      for (let c = 0; c < ic; c++) {
        const value = src[((n * ic + c) * vertical.input + iy) * horizontal.input + ix] ?? 0;
        sum += value * (weights[((c * oc + o) * vertical.kernel + r) * horizontal.kernel + s] ?? 0);
      }
    }
  }
  return sum;
}

export interface DenseRun {
  readonly plan: DispatchPlan;
  readonly layout: Layout;
  readonly src: Float32Array;
  readonly srcDims: readonly number[];
  readonly dstDims: readonly number[];
  readonly type: FloatType;
  /** Inputs that no layout applies to. */
  readonly parameters?: Readonly<Record<string, Float32Array>>;
}

/** Of every output; operands and `expected` are dense. */
export async function denseError(
  device: GpuDevice,
  { plan, layout, src, srcDims, dstDims, type, parameters = {} }: DenseRun,
  expected: ArrayLike<number>,
): Promise<number> {
  const inputs = { src: laidOut(src, srcDims, layout), ...parameters };
  const dst = await runStored(device, plan, { inputs, length: layoutElements(dstDims, layout), type });
  return scaledError(layout === 'nhwc4' ? unpackNhwc4(dst, dstDims) : dst, expected);
}

interface StoredRun {
  readonly inputs: Readonly<Record<string, Float32Array>>;
  readonly length: number;
  readonly type: FloatType;
}

async function runStored(device: GpuDevice, plan: DispatchPlan, { inputs, length, type }: StoredRun) {
  const { dst } = await runPlan(device, plan, { inputs, outputs: { dst: length }, half: type === 'float16' });
  return dst;
}

function laidOut(data: Float32Array, dims: readonly number[], layout: Layout): Float32Array {
  return layout === 'nhwc4' ? packNhwc4(data, dims) : data;
}

/** Reads a picture in its layout. */
function placed(
  data: Float32Array,
  [, oc, oh, ow]: readonly [number, number, number, number],
  layout: Layout,
): (place: Place) => number {
  const channels = paddedChannels(oc);
  return ({ n, o, y, x }) => {
    const dense = ((n * oc + o) * oh + y) * ow + x;
    return data[layout === 'nhwc4' ? ((n * oh + y) * ow + x) * channels + o : dense] ?? 0;
  };
}

/** Weights of He's spread, so that outputs keep the size of inputs. */
function layerOperands({ layer, batch, type }: LayerRun) {
  const { name, ic, oc, size, kernel, groups = 1, transposed = false } = layer;
  const taps = (ic / groups) * kernel * kernel;
  const terms = transposed ? ic : taps;
  return {
    src: values(`${name}/src`, batch * ic * size * size, { type }).map((value) => Math.max(0, value)),
    weights: values(`${name}/weights`, oc * taps, { type, std: Math.sqrt(2 / terms) }),
    bias: values(`${name}/bias`, oc, { type, std: 0.1 }),
  };
}

/** A prime: what is longer repeats itself, but no two images or channels are alike. */
const PERIOD = 1_048_573;

/** Seeded values around zero, as the type holds them. */
export function values(
  name: string,
  length: number,
  { type, std = 1 }: { readonly type: FloatType; readonly std?: number },
): Float32Array {
  const distinct = normalValues(
    Math.min(length, PERIOD),
    { mean: 0, std },
    randomStream(`operators/${name}`),
  );
  if (type === 'float16')
    distinct.forEach((value, at) => {
      distinct[at] = halfToNumber(numberToHalf(value));
    });
  const all = new Float32Array(length);
  for (let at = 0; at < length; at += PERIOD) all.set(distinct.subarray(0, length - at), at);
  return all;
}

export function positive(dims: readonly number[], type: FloatType, name: string): Float32Array {
  return values(name, elementCount(dims), { type }).map((value) => Math.max(0, value));
}
