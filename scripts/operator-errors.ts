/**
 * The scaled error of single operators against float64, over float32 or float16 operands: the kernel that
 * deterministic mode chooses on this adapter. Of convolutions outputs spread evenly are compared, of the others all.
 * float16 inputs are rounded before both sides see them, so what is left is the sum in float32 and one rounding.
 */
import { type ConvLayer, scaledError } from '@onegpu/bench';
import { type DispatchPlan, type GpuDevice, halfToNumber, numberToHalf } from '@onegpu/core';
import {
  convTransposeReference,
  elementCount,
  type Layout,
  layoutElements,
  makeConvProblem,
  makeConvTransposeProblem,
  makePoolProblem,
  makeResizeProblem,
  PLAIN_EPILOGUE,
  type PoolRequest,
  packNhwc4,
  planPool,
  planResize,
  preferredConvTransposeLayout,
  type ResizeRequest,
  referencePool,
  referenceResize,
  selectConv,
  selectConvTranspose,
  unpackNhwc4,
} from '@onegpu/kernels';
import { normalValues, randomStream } from '@onegpu/test-models';
import { runPlan } from '@onegpu/testing';
import { sampledError } from './numerics-conv.ts';

export type FloatType = 'float32' | 'float16';

const OPTIONS = { mode: 'deterministic' } as const;
const EPILOGUE = { ...PLAIN_EPILOGUE, bias: true };

interface PlanRun {
  readonly plan: DispatchPlan;
  readonly layout: Layout;
  readonly src: Float32Array;
  readonly srcDims: readonly number[];
  readonly dstDims: readonly number[];
  readonly type: FloatType;
  readonly parameters?: Readonly<Record<string, Float32Array>>;
}

/** Of a layer at batch 1 with bias: values like those inside a network, half of the inputs zero. */
export function convError(device: GpuDevice, layer: ConvLayer, type: FloatType): Promise<number> {
  return layer.transposed === true ? transposedError(device, layer, type) : slidingError(device, layer, type);
}

async function slidingError(device: GpuDevice, layer: ConvLayer, type: FloatType): Promise<number> {
  const { ic, oc, size, kernel, stride, groups = 1 } = layer;
  const pad = (kernel - 1) / 2;
  const srcDims = [1, ic, size, size];
  const problem = makeConvProblem({
    ...{ src: srcDims, weights: [oc, ic / groups, kernel, kernel], groups, strides: [stride, stride] },
    ...{ pads: [pad, pad, pad, pad], layout: 'nhwc4', epilogue: EPILOGUE, weightsConstant: true },
  });
  const operands = layerOperands(layer, type);
  const { src, weights, bias } = operands;
  const { plan } = selectConv(problem, device.capabilities, OPTIONS);
  const dstDims = [1, oc, problem.oh, problem.ow];
  const run = { plan, layout: problem.layout, src, srcDims, dstDims, type, parameters: { weights, bias } };
  return sampledError(problem, operands, await runDense(device, run));
}

async function transposedError(device: GpuDevice, layer: ConvLayer, type: FloatType): Promise<number> {
  const { ic, oc, size, kernel, stride } = layer;
  const srcDims = [1, ic, size, size];
  const request = makeConvTransposeProblem({
    ...{ srcDims, weightsDims: [ic, oc, kernel, kernel], biasDims: [oc], strides: [stride, stride] },
    weightsConstant: true,
  });
  const layout = preferredConvTransposeLayout(request, device.capabilities);
  const problem = { ...request, layout };
  const { src, weights, bias } = layerOperands(layer, type);
  const { plan } = selectConvTranspose(problem, device.capabilities, OPTIONS);
  const parameters = { weights, bias };
  const dst = await runDense(device, {
    ...{ plan, layout, src, srcDims, dstDims: problem.dstDims, type, parameters },
  });
  return scaledError(dst, convTransposeReference(problem, { src, weights, bias }));
}

export async function poolError(device: GpuDevice, request: PoolRequest, type: FloatType): Promise<number> {
  const problem = makePoolProblem({ ...request, layout: 'nhwc4', element: type });
  const { srcDims, dstDims, layout } = problem;
  const src = rounded(values('pool', elementCount(srcDims), 1), type).map((value) => Math.max(0, value));
  const { plan } = planPool(problem, device.capabilities, OPTIONS);
  const dst = await runDense(device, { plan, layout, src, srcDims, dstDims, type });
  return scaledError(dst, referencePool(problem, src));
}

export async function resizeError(
  device: GpuDevice,
  request: ResizeRequest,
  type: FloatType,
): Promise<number> {
  const problem = makeResizeProblem(request);
  const { srcDims, dstDims, layout } = problem;
  const src = rounded(values('resize', elementCount(srcDims), 1), type);
  const { plan } = planResize(problem, device.capabilities, OPTIONS);
  const dst = await runDense(device, { plan, layout, src, srcDims, dstDims, type });
  return scaledError(dst, referenceResize(problem, src));
}

/** The dense result of a plan. */
async function runDense(device: GpuDevice, run: PlanRun): Promise<Float32Array> {
  const { plan, layout, src, srcDims, dstDims, type, parameters = {} } = run;
  const stored = layout === 'nhwc4' ? packNhwc4(src, srcDims) : src;
  const { dst } = await runPlan(device, plan, {
    inputs: { src: stored, ...parameters },
    outputs: { dst: layoutElements(dstDims, layout) },
    half: type === 'float16',
  });
  return layout === 'nhwc4' ? unpackNhwc4(dst, dstDims) : dst;
}

/** Weights of He's spread, so that outputs keep the size of inputs. */
function layerOperands(layer: ConvLayer, type: FloatType) {
  const { name, ic, oc, size, kernel, groups = 1, transposed = false } = layer;
  const taps = (ic / groups) * kernel * kernel;
  const terms = transposed ? ic : taps;
  return {
    src: rounded(values(`${name}/src`, ic * size * size, 1), type).map((value) => Math.max(0, value)),
    weights: rounded(values(`${name}/weights`, oc * taps, Math.sqrt(2 / terms)), type),
    bias: rounded(values(`${name}/bias`, oc, 0.1), type),
  };
}

function values(name: string, length: number, std: number): Float32Array {
  return normalValues(length, { mean: 0, std }, randomStream(`operators/${name}`));
}

function rounded(data: Float32Array, type: FloatType): Float32Array {
  return type === 'float32' ? data : data.map((value) => halfToNumber(numberToHalf(value)));
}
