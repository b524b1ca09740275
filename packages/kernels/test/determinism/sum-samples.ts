/** Matrix products, reductions, normalisations, pooling and resizing. */
import { integerFill, randomFill } from '@onegpu/testing';
import {
  BATCH_NORM_ALGORITHMS,
  EXPAND_DEPTHWISE_ALGORITHMS,
  GEMM_ALGORITHMS,
  LRN_ALGORITHMS,
  MERGE_MAPS_ALGORITHMS,
  makeBatchNormProblem,
  makeExpandDepthwiseProblem,
  makeGemmProblem,
  makeLayerNormProblem,
  makeLrnProblem,
  makeMatMulProblem,
  makeMergeMapsProblem,
  makePoolProblem,
  makeReduceProblem,
  makeResizeProblem,
  makeSoftmaxProblem,
  makeSqueezeExciteProblem,
  PLAIN_EPILOGUE,
  POOL_ALGORITHMS,
  REDUCE_ALGORITHMS,
  RESIZE_ALGORITHMS,
  ROW_NORM_ALGORITHMS,
  SOFTMAX_ALGORITHMS,
  SQUEEZE_EXCITE_ALGORITHMS,
} from '../../src/index.ts';
import { type DeterminismSample, each, floats, type ListedAlgorithms } from './sample.ts';

export const MATRIX_SAMPLES: readonly DeterminismSample[] = [
  ...each(
    'gemm',
    GEMM_ALGORITHMS,
    makeGemmProblem({ srcDims: [2, 608], weightsDims: [608, 68], weightsConstant: true }),
    floats({ src: [2, 608], weights: [608, 68] }, 2 * 68),
  ),
  ...each(
    'gemm',
    GEMM_ALGORITHMS,
    makeMatMulProblem({ srcDims: [3, 13, 301], weightsDims: [301, 17] }),
    floats({ src: [3, 13, 301], weights: [301, 17] }, 3 * 13 * 17),
  ).map((sample) => ({ ...sample, name: `${sample.name}/batched` })),
];

export const SUM_SAMPLES: readonly DeterminismSample[] = [
  ...each(
    'reduce',
    REDUCE_ALGORITHMS,
    makeReduceProblem({ operation: 'mean', dims: [3, 1213], axes: [1], keepDims: true }),
    floats({ src: [3, 1213] }, 3),
  ),
  ...each(
    'reduce',
    REDUCE_ALGORITHMS,
    makeReduceProblem({
      operation: 'mean',
      dims: [2, 12, 13, 9],
      axes: [2, 3],
      keepDims: true,
      layout: 'nhwc4',
    }),
    floats({ src: [2, 117, 12] }, 2 * 12),
  ).filter(({ algorithm }) => algorithm === 'workgroup-fold'),
  ...(['l2', 'pool-max'] as const).flatMap((operation) =>
    each(
      'reduce',
      REDUCE_ALGORITHMS,
      makeReduceProblem({ operation, dims: [3, 1213], axes: [1], keepDims: true }),
      floats({ src: [3, 1213] }, 3),
    ).map((sample) => ({ ...sample, name: `${sample.name}/${operation}` })),
  ),
  ...each(
    'softmax',
    SOFTMAX_ALGORITHMS,
    makeSoftmaxProblem({ operation: 'softmax', dims: [3, 1213], axis: -1, extends: 'along' }),
    floats({ src: [3, 1213] }, 3 * 1213),
  ),
  ...each(
    'squeeze-excite',
    SQUEEZE_EXCITE_ALGORITHMS,
    makeSqueezeExciteProblem({
      ...{ src: [2, 20, 7, 11], squeezeWeights: [6, 20], exciteWeights: [20, 6], weightsConstant: true },
      ...{ squeezeBias: false, exciteBias: false, hiddenActivation: [{ kind: 'relu' }], activation: [] },
    }),
    floats({ src: [2, 77, 20], squeezeWeights: [6, 20], exciteWeights: [20, 6] }, 2 * 20),
  ),
  ...each(
    'expand-depthwise',
    EXPAND_DEPTHWISE_ALGORITHMS,
    makeExpandDepthwiseProblem({
      expand: {
        src: [2, 12, 5, 7],
        weights: [20, 12, 1, 1],
        epilogue: PLAIN_EPILOGUE,
        weightsConstant: true,
      },
      depthwise: {
        ...{ weights: [20, 1, 3, 3], pads: [1, 1, 1, 1], epilogue: PLAIN_EPILOGUE, weightsConstant: true },
      },
    }),
    floats({ src: [2, 35, 12], expandWeights: [20, 12], weights: [20, 9] }, 2 * 35 * 20),
  ),
  ...each(
    'merge-maps',
    MERGE_MAPS_ALGORITHMS,
    makeMergeMapsProblem({
      merge: 'sum',
      parts: [
        { resize: makeResizeProblem({ dims: [2, 8, 3, 5], scales: [1, 1, 2, 2] }), gated: false },
        { resize: makeResizeProblem({ dims: [2, 8, 6, 10], scales: [1, 1, 1, 1] }), gated: true },
      ],
    }),
    floats({ src0: [2, 15, 8], src1: [2, 60, 8], gate1: [2, 8] }, 2 * 60 * 8),
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
  ...each(
    'lrn',
    LRN_ALGORITHMS,
    makeLrnProblem({ dims: [2, 41, 5, 3], size: 11, alpha: 0.5 }),
    floats({ src: [2, 41, 5, 3] }, 1230),
  ),
  ...(['average', 'max', 'lp'] as const).flatMap((operation) =>
    each(
      'pool',
      POOL_ALGORITHMS,
      makePoolProblem({ operation, dims: [2, 3, 7, 11], kernel: [7, 11] }),
      floats({ src: [2, 3, 7, 11] }, 6),
    ).map((sample) => ({ ...sample, name: `${sample.name}/${operation}` })),
  ),
  ...each(
    'pool',
    POOL_ALGORITHMS,
    makePoolProblem({ operation: 'max', dims: [2, 3, 0, 5], kernel: [2, 2], pads: [1, 1, 1, 1] }),
    floats({ src: [2, 3, 0, 5] }, 36),
  ),
  ...each(
    'pool',
    POOL_ALGORITHMS,
    makePoolProblem({ operation: 'lp', dims: [2, 3, 7, 11], kernel: [3, 5], pads: [1, 2, 1, 2], power: 3 }),
    floats({ src: [2, 3, 7, 11] }, 2 * 3 * 7 * 11),
  ).map((sample) => ({ ...sample, name: `${sample.name}/lp of 3` })),
  ...each(
    'pool',
    POOL_ALGORITHMS,
    makePoolProblem({ operation: 'max', dims: [2, 3, 7, 11], kernel: [3, 5], indices: 'row-major' }),
    {
      inputs: floats({ src: [2, 3, 7, 11] }, 0).inputs,
      outputs: { dst: 210, indices: { type: 'uint32', length: 420 } },
    },
  ).map((sample) => ({ ...sample, name: `${sample.name}/indices` })),
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

export const SUM_ALGORITHMS: readonly ListedAlgorithms[] = [
  ['gemm', GEMM_ALGORITHMS],
  ['reduce', REDUCE_ALGORITHMS],
  ['softmax', SOFTMAX_ALGORITHMS],
  ['squeeze-excite', SQUEEZE_EXCITE_ALGORITHMS],
  ['expand-depthwise', EXPAND_DEPTHWISE_ALGORITHMS],
  ['merge-maps', MERGE_MAPS_ALGORITHMS],
  ['normalization', [...ROW_NORM_ALGORITHMS, ...BATCH_NORM_ALGORITHMS]],
  ['lrn', LRN_ALGORITHMS],
  ['pool', POOL_ALGORITHMS],
  ['resize', RESIZE_ALGORITHMS],
];
