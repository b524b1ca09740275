/** Element-wise functions and moved data. */
import { integerFill, randomFill } from '@onegpu/testing';
import { BINARY_ALGORITHMS } from '../../src/binary/select.ts';
import {
  GATHER_ALGORITHMS,
  MAP_ALGORITHMS,
  MAX_UNPOOL_ALGORITHMS,
  MOVE_ALGORITHMS,
  MOVE_PAIR_ALGORITHMS,
  makeBinaryProblem,
  makeConcatProblem,
  makeConvertLayoutProblem,
  makeGatherRowsProblem,
  makeMapProblem,
  makeMaxUnpoolProblem,
  makeTransposeProblem,
  makeUnaryProblem,
  planConcat,
  planConvertLayout,
  UNARY_ALGORITHMS,
} from '../../src/index.ts';
import { type DeterminismSample, each, floats, type ListedAlgorithms, single } from './sample.ts';

export const ELEMENT_SAMPLES: readonly DeterminismSample[] = [
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
  ...each(
    'max-unpool',
    MAX_UNPOOL_ALGORITHMS,
    makeMaxUnpoolProblem({ dims: [2, 3, 5, 7], indicesDims: [2, 3, 5, 7], kernel: [2, 2], strides: [2, 2] }),
    {
      inputs: {
        ...floats({ src: [2, 3, 5, 7] }, 0).inputs,
        // Every second element, low words first.
        indices: Uint32Array.from({ length: 420 }, (_, index) => (index % 2 === 0 ? 2 * index : 0)),
      },
      outputs: { dst: 840 },
    },
  ),
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

export const ELEMENT_ALGORITHMS: readonly ListedAlgorithms[] = [
  ['binary', BINARY_ALGORITHMS],
  ['unary', UNARY_ALGORITHMS],
  ['map', MAP_ALGORITHMS],
  ['gather', GATHER_ALGORITHMS],
  ['move', [...MOVE_ALGORITHMS, ...MOVE_PAIR_ALGORITHMS]],
  ['max-unpool', MAX_UNPOOL_ALGORITHMS],
];
