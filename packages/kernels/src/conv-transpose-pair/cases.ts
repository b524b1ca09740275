/** Shapes that tests share: one feature varied a row. */
import { type ConvTransposePairRequest, makeConvTransposePairProblem } from './problem.ts';

function row(name: string, request: ConvTransposePairRequest) {
  return { name, problem: makeConvTransposePairProblem(request) };
}

const RELU = [{ kind: 'relu' }] as const;

export const CONV_TRANSPOSE_PAIR_CASES = [
  row('text detection head of few channels, more pixels than a workgroup makes', {
    ...{ srcDims: [1, 12, 17, 19], firstWeightsDims: [12, 12, 2, 2], weightsDims: [12, 1, 2, 2] },
    ...{ firstBiasDims: [12], biasDims: [1], hiddenActivation: RELU },
  }),
  row('odd channels, kernels of their own, no biases', {
    ...{ srcDims: [2, 5, 3, 2], firstWeightsDims: [5, 7, 1, 3], weightsDims: [7, 1, 3, 2], activation: RELU },
  }),
  row('two pixels an invocation, several blocks of terms', {
    ...{ srcDims: [1, 264, 1, 2], firstWeightsDims: [264, 33, 2, 1], weightsDims: [33, 1, 1, 2] },
    ...{ firstBiasDims: [33], biasDims: [1], hiddenActivation: RELU },
  }),
  row('64 channels between, terms of several chunks', {
    ...{ srcDims: [1, 66, 9, 8], firstWeightsDims: [66, 64, 2, 2], weightsDims: [64, 1, 2, 2] },
    ...{ firstBiasDims: [64], biasDims: [1], hiddenActivation: RELU },
  }),
  row('more taps of the second than a vec4 holds', {
    ...{ srcDims: [1, 24, 5, 7], firstWeightsDims: [24, 24, 1, 1], weightsDims: [24, 1, 4, 3] },
    ...{ firstBiasDims: [24], hiddenActivation: RELU },
  }),
  row('four channels between', {
    ...{ srcDims: [1, 9, 3, 5], firstWeightsDims: [9, 4, 2, 2], weightsDims: [4, 1, 2, 2], biasDims: [1] },
  }),
  row('one channel between', {
    ...{ srcDims: [2, 3, 3, 5], firstWeightsDims: [3, 1, 2, 2], weightsDims: [1, 1, 2, 3] },
    ...{ firstBiasDims: [1], biasDims: [1], hiddenActivation: RELU },
  }),
  row('no images', {
    ...{ srcDims: [0, 4, 3, 3], firstWeightsDims: [4, 4, 2, 2], weightsDims: [4, 1, 2, 2] },
  }),
];
