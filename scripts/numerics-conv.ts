/**
 * The error of single convolution layers against float64, through everything a session does to a convolution:
 * packing, choice of algorithm, layouts. Of each layer samples are compared.
 */
import type { GpuDevice } from '@onegpu/core';
import { type ConvProblem, makeConvProblem, type NumericMode, PLAIN_EPILOGUE } from '@onegpu/kernels';
import { InferenceSession, Tensor } from '@onegpu/onnx';
import { type ConvLayer, convLayerModel, normalValues, randomStream } from '@onegpu/test-models';
import { sumTaps } from '../packages/kernels/src/reference/conv.ts';
import { sampledError } from './sampled-error.ts';

export interface ConvNumerics {
  /** max|y - r| / max|r| over the samples. */
  readonly error: number;
  readonly algorithm: string;
  readonly terms: number;
}

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
    const { data } = dst;
    const { batch, oc, oh, ow } = problem;
    const error = sampledError(
      [batch, oc, oh, ow],
      ({ n, o, y, x }) => data[((n * oc + o) * oh + y) * ow + x] ?? 0,
      (place) => sumTaps(problem, { src, weights }, place) + (bias[place.o] ?? 0),
    );
    const { steps } = await session.explain({ src: layer.src });
    const algorithm = steps.find(({ operator }) => operator === 'conv')?.algorithm ?? '-';
    return { error, algorithm, terms };
  } finally {
    await session.release();
  }
}

function problemOf(layer: ConvLayer): ConvProblem {
  return makeConvProblem({ ...layer, layout: 'nchw', epilogue: PLAIN_EPILOGUE, weightsConstant: true });
}
