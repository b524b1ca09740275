/**
 * The error of single convolution layers against float64, through everything a session does to a convolution:
 * packing, choice of algorithm, layouts. A large layer takes minutes in float64 JavaScript, so outputs spread
 * evenly over it are compared: channels, edges and tiles all have their turn.
 */
import { scaledError } from '@onegpu/bench';
import type { GpuDevice } from '@onegpu/core';
import { type ConvProblem, makeConvProblem, type NumericMode, PLAIN_EPILOGUE } from '@onegpu/kernels';
import { InferenceSession, Tensor } from '@onegpu/onnx';
import { type ConvLayer, convLayerModel, normalValues, randomStream } from '@onegpu/test-models';
import { sumTaps } from '../packages/kernels/src/reference/conv.ts';

export interface ConvNumerics {
  /** max|y - r| / max|r| over the samples. */
  readonly error: number;
  readonly algorithm: string;
  readonly terms: number;
}

const SAMPLES = 2000;

/** Runs the layer once, on values like those inside a network: half of the inputs zero, weights of He's spread. */
export async function convLayerError(
  device: GpuDevice,
  mode: NumericMode,
  layer: ConvLayer,
): Promise<ConvNumerics> {
  const problem = problemOf(layer);
  const terms = layer.weights.slice(1).reduce((product, extent) => product * extent, 1);
  const fill = (name: string, length: number, std: number): Float32Array =>
    normalValues(length, { mean: 0, std }, randomStream(`conv/${layer.weights}/${name}`));
  const src = fill('src', problem.batch * problem.ic * problem.ih * problem.iw, 1).map((v) => Math.max(0, v));
  const weights = fill('weights', problem.oc * terms, Math.sqrt(2 / terms));
  const bias = fill('bias', problem.oc, 0.1);
  const session = await InferenceSession.create(convLayerModel(layer, weights, bias), { device, mode });
  try {
    const { dst } = await session.run({ src: new Tensor('float32', src, layer.src) });
    if (!(dst?.data instanceof Float32Array)) throw new Error('the layer gave no float32 output');
    const { steps } = await session.explain({ src: layer.src });
    const algorithm = steps.find(({ operator }) => operator === 'conv')?.algorithm ?? '-';
    return { error: sampledError(problem, { src, weights, bias }, dst.data), algorithm, terms };
  } finally {
    await session.release();
  }
}

function problemOf(layer: ConvLayer): ConvProblem {
  return makeConvProblem({ ...layer, layout: 'nchw', epilogue: PLAIN_EPILOGUE, weightsConstant: true });
}

/** Of outputs spread evenly over the layer, bias added; operands and `dst` are dense. */
export function sampledError(
  problem: ConvProblem,
  operands: { readonly src: Float32Array; readonly weights: Float32Array; readonly bias: Float32Array },
  dst: Float32Array,
): number {
  const { oc, oh, ow } = problem;
  // Odd, so that it shares no factor with extents that are powers of two.
  const step = Math.max(1, Math.floor(dst.length / SAMPLES) | 1);
  const indices = Array.from({ length: Math.ceil(dst.length / step) }, (_, i) => i * step);
  const expected = indices.map((index) => {
    const [x, y] = [index % ow, Math.floor(index / ow) % oh];
    const o = Math.floor(index / (ow * oh)) % oc;
    const n = Math.floor(index / (ow * oh * oc));
    return sumTaps(problem, operands, { n, o, y, x }) + (operands.bias[o] ?? 0);
  });
  return scaledError(
    indices.map((index) => dst[index] ?? 0),
    expected,
  );
}
