/**
 * A problem or two for every algorithm of every operator, with operands, for the test that their bits do not depend on
 * run, place, device or scratch. Random floats: integers would hide an order of summation that varies.
 */
import {
  type DispatchPlan,
  defaultCapabilities,
  type GpuCapabilities,
  type GpuElementType,
  type OperandArray,
  storeNarrow,
} from '@onegpu/core';
import { integerFill, type OutputSpec, randomFill } from '@onegpu/testing';
import { BINARY_ALGORITHMS } from '../src/binary/select.ts';
import { makeConvProblem } from '../src/conv/problem.ts';
import { convAlgorithms } from '../src/conv/select.ts';
import { makeConvTransposeProblem } from '../src/conv-transpose/problem.ts';
import { CONV_TRANSPOSE_ALGORITHMS } from '../src/conv-transpose/select.ts';
import { makeDeformConvProblem } from '../src/deform-conv/problem.ts';
import { DEFORM_CONV_ALGORITHMS } from '../src/deform-conv/select.ts';
import {
  BATCH_NORM_ALGORITHMS,
  GATHER_ALGORITHMS,
  GEMM_ALGORITHMS,
  type KernelOptions,
  layoutElements,
  MAP_ALGORITHMS,
  MOVE_ALGORITHMS,
  MOVE_PAIR_ALGORITHMS,
  makeBatchNormProblem,
  makeBinaryProblem,
  makeConcatProblem,
  makeConvertLayoutProblem,
  makeDequantizeProblem,
  makeGatherRowsProblem,
  makeGemmProblem,
  makeLayerNormProblem,
  makeMapProblem,
  makeMatMulProblem,
  makePoolProblem,
  makeQuantizeProblem,
  makeReduceProblem,
  makeResizeProblem,
  makeSoftmaxProblem,
  makeTransposeProblem,
  makeUnaryProblem,
  PLAIN_EPILOGUE,
  POOL_ALGORITHMS,
  planConcat,
  planConvertLayout,
  planDynamicQuantize,
  REDUCE_ALGORITHMS,
  RESIZE_ALGORITHMS,
  ROW_NORM_ALGORITHMS,
  SOFTMAX_ALGORITHMS,
  UNARY_ALGORITHMS,
} from '../src/index.ts';
import { DEQUANTIZE_ALGORITHMS, QUANTIZE_ALGORITHMS } from '../src/quantize/select.ts';
import type { Algorithm } from '../src/shared/algorithm.ts';
import { makeVolumeConvProblem } from '../src/volume-conv/problem.ts';
import { VOLUME_CONV_ALGORITHMS } from '../src/volume-conv/select.ts';
import { makeVolumeConvTransposeProblem } from '../src/volume-conv-transpose/problem.ts';
import { VOLUME_CONV_TRANSPOSE_ALGORITHMS } from '../src/volume-conv-transpose/select.ts';

export interface DeterminismSample {
  /** Folder of the operator. */
  readonly family: string;
  /** Empty for operators that have a single plan. */
  readonly algorithm: string;
  readonly name: string;
  plan(target: GpuCapabilities, scratchBytes?: number): DispatchPlan;
  readonly inputs: Readonly<Record<string, OperandArray>>;
  readonly outputs: Readonly<Record<string, number | OutputSpec>>;
}

type Operands = Pick<DeterminismSample, 'inputs' | 'outputs'>;

const LIMITS = defaultCapabilities({ software: true });
const count = (dims: readonly number[]): number => layoutElements(dims, 'nchw');

/** Random inputs of these extents, `dst` of that many elements. */
function floats(inputs: Readonly<Record<string, readonly number[]>>, dst: number): Operands {
  const filled = Object.entries(inputs).map(([name, dims], index) => [
    name,
    randomFill(count(dims), index + 1),
  ]);
  return { inputs: Object.fromEntries(filled), outputs: { dst } };
}

/** A sample for each algorithm that takes the problem. */
function each<Problem>(
  family: string,
  algorithms: readonly Algorithm<Problem>[],
  problem: Problem,
  operands: Operands & { readonly narrow?: Readonly<Record<string, GpuElementType>> },
): DeterminismSample[] {
  const { narrow, inputs, outputs } = operands;
  const options: KernelOptions = { mode: 'deterministic' };
  return algorithms
    .filter((entry) => entry.impossible(problem, LIMITS) === undefined)
    .map((entry) => ({
      ...{ family, algorithm: entry.name, name: `${family}/${entry.name}`, inputs, outputs },
      plan: (target, scratchBytes) => {
        const plan = entry.plan(problem, target, { ...options, scratchBytes });
        return narrow === undefined ? plan : storeNarrow(plan, narrow, target);
      },
    }));
}

/** A sample of an operator with one plan. */
function single(
  family: string,
  name: string,
  plan: DeterminismSample['plan'],
  operands: Operands,
): DeterminismSample {
  return { family, algorithm: '', name: `${family}/${name}`, plan, ...operands };
}

const constant = { weightsConstant: true } as const;
const SAME = { pads: [1, 1, 1, 1], epilogue: PLAIN_EPILOGUE, ...constant } as const;

const CONVOLUTIONS: readonly DeterminismSample[] = [
  ...each(
    'conv',
    convAlgorithms,
    makeConvProblem({ src: [2, 72, 5, 7], weights: [40, 72, 3, 3], layout: 'nhwc4', ...SAME }),
    floats({ src: [2, 72, 5, 7], weights: [40, 72, 3, 3] }, 2 * 40 * 35),
  ),
  ...each(
    'conv',
    convAlgorithms,
    makeConvProblem({ src: [2, 8, 5, 7], weights: [8, 1, 3, 3], groups: 8, layout: 'nhwc4', ...SAME }),
    floats({ src: [2, 8, 5, 7], weights: [8, 1, 3, 3] }, 2 * 8 * 35),
  ).filter(({ algorithm }) => algorithm === 'depthwise'),
  ...(['nchw', 'nhwc4'] as const).flatMap((layout) =>
    each(
      'conv-transpose',
      CONV_TRANSPOSE_ALGORITHMS,
      makeConvTransposeProblem({
        ...{ srcDims: [2, 20, 5, 7], weightsDims: [20, 12, 2, 2], strides: [2, 2], layout, ...constant },
      }),
      floats({ src: [2, 20, 5, 7], weights: [20, 12, 2, 2] }, 2 * 12 * 140),
    ).map((sample) => ({ ...sample, name: `${sample.name}/${layout}` })),
  ),
  ...each(
    'deform-conv',
    DEFORM_CONV_ALGORITHMS,
    makeDeformConvProblem({
      ...{ src: [2, 6, 5, 7], weights: [9, 6, 3, 3], offset: [2, 18, 5, 7], mask: [2, 9, 5, 7], ...SAME },
    }),
    floats(
      { src: [2, 6, 5, 7], weights: [9, 6, 3, 3], offset: [2, 18, 5, 7], mask: [2, 9, 5, 7] },
      2 * 9 * 35,
    ),
  ),
  ...each(
    'volume-conv',
    VOLUME_CONV_ALGORITHMS,
    makeVolumeConvProblem({
      ...{ src: [2, 12, 3, 5, 4], weights: [9, 12, 3, 3, 3], pads: [1, 1, 1, 1, 1, 1] },
      ...{ epilogue: PLAIN_EPILOGUE, ...constant },
    }),
    floats({ src: [2, 12, 3, 5, 4], weights: [9, 12, 3, 3, 3] }, 2 * 9 * 60),
  ),
  ...each(
    'volume-conv-transpose',
    VOLUME_CONV_TRANSPOSE_ALGORITHMS,
    makeVolumeConvTransposeProblem({ srcDims: [2, 5, 3, 2, 4], weightsDims: [5, 7, 3, 3, 3] }),
    floats({ src: [2, 5, 3, 2, 4], weights: [5, 7, 3, 3, 3] }, 2 * 7 * 5 * 4 * 6),
  ),
];

const MATRICES: readonly DeterminismSample[] = [
  ...each(
    'gemm',
    GEMM_ALGORITHMS,
    makeGemmProblem({ srcDims: [2, 608], weightsDims: [608, 68], ...constant }),
    floats({ src: [2, 608], weights: [608, 68] }, 2 * 68),
  ),
  ...each(
    'gemm',
    GEMM_ALGORITHMS,
    makeMatMulProblem({ srcDims: [3, 13, 301], weightsDims: [301, 17] }),
    floats({ src: [3, 13, 301], weights: [301, 17] }, 3 * 13 * 17),
  ).map((sample) => ({ ...sample, name: `${sample.name}/batched` })),
];

const SUMS: readonly DeterminismSample[] = [
  ...each(
    'reduce',
    REDUCE_ALGORITHMS,
    makeReduceProblem({ operation: 'mean', dims: [3, 1213], axes: [1], keepDims: true }),
    floats({ src: [3, 1213] }, 3),
  ),
  ...each(
    'softmax',
    SOFTMAX_ALGORITHMS,
    makeSoftmaxProblem({ operation: 'softmax', dims: [3, 1213], axis: -1, extends: 'along' }),
    floats({ src: [3, 1213] }, 3 * 1213),
  ),
  ...each(
    'normalization',
    ROW_NORM_ALGORITHMS,
    makeLayerNormProblem({ dims: [3, 769], axis: -1, scaleElements: 769, bias: true, epsilon: 1e-5 }),
    floats({ src: [3, 769], scale: [769], bias: [769] }, 3 * 769),
  ),
  ...each('normalization', BATCH_NORM_ALGORITHMS, makeBatchNormProblem({ dims: [2, 5, 33], epsilon: 1e-5 }), {
    inputs: {
      ...floats({ src: [2, 5, 33], scale: [5], bias: [5], mean: [5] }, 0).inputs,
      variance: randomFill(5, 9, 1, 2),
    },
    outputs: { dst: 330 },
  }),
  ...(['average', 'max'] as const).flatMap((operation) =>
    each(
      'pool',
      POOL_ALGORITHMS,
      makePoolProblem({ operation, dims: [2, 3, 7, 11], kernel: [7, 11] }),
      floats({ src: [2, 3, 7, 11] }, 6),
    ).map((sample) => ({ ...sample, name: `${sample.name}/${operation}` })),
  ),
  ...(['nearest', 'linear', 'cubic'] as const).flatMap((mode) =>
    each(
      'resize',
      RESIZE_ALGORITHMS,
      makeResizeProblem({ dims: [2, 3, 7, 11], sizes: [2, 3, 13, 5], sampling: { mode } }),
      floats({ src: [2, 3, 7, 11] }, 2 * 3 * 13 * 5),
    ).map((sample) => ({ ...sample, name: `${sample.name}/${mode}` })),
  ),
  ...each(
    'resize',
    RESIZE_ALGORITHMS,
    makeResizeProblem({
      ...{ dims: [2, 3, 7, 11], sizes: [2, 3, 13, 5], sampling: { mode: 'linear' }, element: 'uint8' },
    }),
    {
      inputs: { src: Uint8Array.from(integerFill(462, 1, 0, 255)) },
      outputs: { dst: { type: 'uint8', length: 390 } },
      narrow: { src: 'uint8', dst: 'uint8' },
    },
  ).map((sample) => ({ ...sample, name: `${sample.name}/uint8` })),
];

const ELEMENTS: readonly DeterminismSample[] = [
  ...each(
    'binary',
    BINARY_ALGORITHMS,
    makeBinaryProblem({
      function: 'div',
      lhs: { dims: [3, 7, 11], layout: 'nchw', constant: false },
      rhs: { dims: [7, 11], layout: 'nchw', constant: false },
      ...{ layout: 'nchw', activation: [] },
    }),
    floats({ lhs: [3, 7, 11], rhs: [7, 11] }, 231),
  ),
  ...each(
    'unary',
    UNARY_ALGORITHMS,
    makeUnaryProblem({ dims: [3, 7, 11], layout: 'nchw', activation: [{ kind: 'sigmoid' }] }),
    floats({ src: [3, 7, 11] }, 231),
  ),
  ...each(
    'map',
    MAP_ALGORITHMS,
    makeMapProblem({ function: 'mul', element: 'i32', operands: [[601], [601]] }),
    {
      inputs: { src0: Int32Array.from(integerFill(601, 1)), src1: Int32Array.from(integerFill(601, 2)) },
      outputs: { dst: { type: 'int32', length: 601 } },
    },
  ),
  ...each(
    'gather',
    GATHER_ALGORITHMS,
    makeGatherRowsProblem({ srcDims: [11, 7], indexDims: [5], axis: 0, element: 'u32', index: 'i32' }),
    {
      inputs: { src: randomFill(77, 1), index: Int32Array.of(10, 0, -1, 3, 3) },
      outputs: { dst: 35 },
    },
  ),
  ...each('move', MOVE_ALGORITHMS, makeTransposeProblem([5, 7, 11]), floats({ src: [5, 7, 11] }, 385)),
  ...each('move', MOVE_PAIR_ALGORITHMS, makeTransposeProblem([5, 7, 11]), floats({ src: [5, 7, 22] }, 770)),
  single(
    'move',
    'concat',
    (target) =>
      planConcat(
        makeConcatProblem({
          inputs: [
            [3, 5],
            [3, 7],
          ],
          axis: 1,
          layout: 'nchw',
        }),
        target,
      ),
    floats({ src0: [3, 5], src1: [3, 7] }, 36),
  ),
  single(
    'move',
    'convert-layout',
    (target) => planConvertLayout(makeConvertLayoutProblem([2, 6, 35], 'nhwc4'), target),
    floats({ src: [2, 6, 35] }, 2 * 8 * 35),
  ),
];

const QUANTIZATION: readonly DeterminismSample[] = [
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

export const DETERMINISM_SAMPLES: readonly DeterminismSample[] = [
  ...CONVOLUTIONS,
  ...MATRICES,
  ...SUMS,
  ...ELEMENTS,
  ...QUANTIZATION,
];

/** Names of all algorithms by family: each must have a sample. */
export const LISTED_ALGORITHMS: readonly (readonly [string, readonly { readonly name: string }[]])[] = [
  ['conv', convAlgorithms],
  ['conv-transpose', CONV_TRANSPOSE_ALGORITHMS],
  ['deform-conv', DEFORM_CONV_ALGORITHMS],
  ['volume-conv', VOLUME_CONV_ALGORITHMS],
  ['volume-conv-transpose', VOLUME_CONV_TRANSPOSE_ALGORITHMS],
  ['gemm', GEMM_ALGORITHMS],
  ['reduce', REDUCE_ALGORITHMS],
  ['softmax', SOFTMAX_ALGORITHMS],
  ['normalization', [...ROW_NORM_ALGORITHMS, ...BATCH_NORM_ALGORITHMS]],
  ['pool', POOL_ALGORITHMS],
  ['resize', RESIZE_ALGORITHMS],
  ['binary', BINARY_ALGORITHMS],
  ['unary', UNARY_ALGORITHMS],
  ['map', MAP_ALGORITHMS],
  ['gather', GATHER_ALGORITHMS],
  ['move', [...MOVE_ALGORITHMS, ...MOVE_PAIR_ALGORITHMS]],
  ['quantize', [...QUANTIZE_ALGORITHMS, ...DEQUANTIZE_ALGORITHMS]],
];
