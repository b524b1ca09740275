/** Quantisation and integer products. */
import { storeNarrow } from '@onegpu/core';
import { integerFill, randomFill } from '@onegpu/testing';
import { makeConvIntegerProblem } from '../../src/conv-integer/problem.ts';
import { CONV_INTEGER_ALGORITHMS } from '../../src/conv-integer/select.ts';
import { makeMatMulIntegerProblem } from '../../src/matmul-integer/problem.ts';
import { MATMUL_INTEGER_ALGORITHMS } from '../../src/matmul-integer/select.ts';
import {
  makeQLinearConvProblem,
  makeQLinearMatMulProblem,
  planQLinearConv,
  planQLinearMatMul,
} from '../../src/qlinear/index.ts';
import { planDynamicQuantize } from '../../src/quantize/dynamic.ts';
import { makeDequantizeProblem, makeQuantizeProblem } from '../../src/quantize/problem.ts';
import { DEQUANTIZE_ALGORITHMS, QUANTIZE_ALGORITHMS } from '../../src/quantize/select.ts';
import { type DeterminismSample, each, type ListedAlgorithms, single } from './sample.ts';

const unsigned = (length: number, seed: number) => Uint8Array.from(integerFill(length, seed, 0, 255));
const signed = (length: number, seed: number) => Int8Array.from(integerFill(length, seed, -128, 127));
const BYTES = { src: 'uint8', weights: 'int8', srcZeroPoint: 'uint8' } as const;

function convolution(ic: number, groups: number, layout: 'nchw' | 'nhwc4' = 'nhwc4') {
  const fixed = { srcType: 'uint8', weightsType: 'int8', srcZeroPoint: true, weightsConstant: true } as const;
  const problem = makeConvIntegerProblem({
    ...{ src: [2, ic, 5, 7], weights: [8, ic / groups, 3, 3], groups, layout, ...fixed },
  });
  const inputs = {
    src: unsigned(2 * ic * 35, 1),
    weights: signed((8 * ic * 9) / groups, 2),
    srcZeroPoint: Uint8Array.of(121),
  };
  return { problem, inputs };
}

export const INTEGER_SAMPLES: readonly DeterminismSample[] = [
  ...([[1], [8], [1, 'nchw']] as const).flatMap(([groups, layout]) => {
    const { problem, inputs } = convolution(8, groups, layout);
    const outputs = { dst: { type: 'int32', length: 2 * 8 * 15 } } as const;
    const samples = each('conv-integer', CONV_INTEGER_ALGORITHMS, problem, {
      inputs,
      outputs,
      narrow: BYTES,
    });
    return samples.map((sample) => ({ ...sample, name: `${sample.name}/${groups}/${problem.layout}` }));
  }),
  ...each(
    'matmul-integer',
    MATMUL_INTEGER_ALGORITHMS,
    makeMatMulIntegerProblem({
      ...{ srcType: 'uint8', weightsType: 'int8', src: [7, 304], weights: [304, 12] },
      ...{ srcZeroPointDims: [], weightsConstant: true },
    }),
    {
      inputs: { src: unsigned(7 * 304, 1), weights: signed(304 * 12, 2), srcZeroPoint: Uint8Array.of(121) },
      outputs: { dst: { type: 'int32', length: 84 } },
      narrow: BYTES,
    },
  ),
  single(
    'qlinear',
    'conv',
    (target) => {
      const { problem: conv } = convolution(8, 1);
      const problem = makeQLinearConvProblem({ conv, dstType: 'uint8', weightsScaleDims: [] });
      const { plan } = planQLinearConv(problem, target, { mode: 'deterministic' });
      return storeNarrow(plan, { ...BYTES, dst: 'uint8' }, target);
    },
    {
      inputs: {
        ...convolution(8, 1).inputs,
        ...{ srcScale: Float32Array.of(0.17), weightsScale: Float32Array.of(0.3) },
        dstScale: Float32Array.of(91.7),
      },
      outputs: { dst: { type: 'uint8', length: 2 * 8 * 15 } },
    },
  ),
  single(
    'qlinear',
    'matmul',
    (target) => {
      const product = makeMatMulIntegerProblem({
        ...{ srcType: 'uint8', weightsType: 'int8', src: [7, 304], weights: [304, 12] },
        ...{ srcZeroPointDims: [], weightsConstant: true },
      });
      const scales = { srcScaleDims: [], weightsScaleDims: [12], dstScaleDims: [] };
      const problem = makeQLinearMatMulProblem({ product, dstType: 'int8', ...scales });
      const { plan } = planQLinearMatMul(problem, target, { mode: 'deterministic' });
      return storeNarrow(plan, { ...BYTES, dst: 'int8' }, target);
    },
    {
      inputs: {
        ...{ src: unsigned(7 * 304, 1), weights: signed(304 * 12, 2), srcZeroPoint: Uint8Array.of(121) },
        ...{ srcScale: Float32Array.of(0.17), weightsScale: randomFill(12, 3, 0.1, 0.5) },
        dstScale: Float32Array.of(731.9),
      },
      outputs: { dst: { type: 'int8', length: 84 } },
    },
  ),
  ...each(
    'quantize',
    QUANTIZE_ALGORITHMS,
    makeQuantizeProblem({ dims: [5, 97], scaleDims: [], dst: 'int8' }),
    {
      inputs: { src: randomFill(485, 1, -20, 20), scale: Float32Array.of(0.17) },
      outputs: { dst: { type: 'int8', length: 485 } },
      narrow: { dst: 'int8' },
    },
  ),
  ...each(
    'quantize',
    DEQUANTIZE_ALGORITHMS,
    makeDequantizeProblem({ dims: [5, 97], scaleDims: [], src: 'int8' }),
    {
      inputs: { src: Int8Array.from(integerFill(485, 1, -128, 127)), scale: Float32Array.of(0.17) },
      outputs: { dst: 485 },
      narrow: { src: 'int8' },
    },
  ).map((sample) => ({ ...sample, name: `${sample.name}/back` })),
  single(
    'quantize',
    'dynamic',
    (target) =>
      storeNarrow(
        planDynamicQuantize([611], target, { mode: 'deterministic' }),
        { dst: 'uint8', zeroPoint: 'uint8' },
        target,
      ),
    {
      inputs: { src: randomFill(611, 1, -3, 5) },
      outputs: {
        dst: { type: 'uint8', length: 611 },
        scale: 1,
        zeroPoint: { type: 'uint8', length: 1 },
      },
    },
  ),
];

export const INTEGER_ALGORITHMS: readonly ListedAlgorithms[] = [
  ['quantize', [...QUANTIZE_ALGORITHMS, ...DEQUANTIZE_ALGORITHMS]],
  ['conv-integer', CONV_INTEGER_ALGORITHMS],
  ['matmul-integer', MATMUL_INTEGER_ALGORITHMS],
];
