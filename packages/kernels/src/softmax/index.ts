export { SOFTMAX_CASES } from './cases.ts';
export { makeSoftmaxProblem, type SoftmaxProblem, type SoftmaxRequest } from './problem.ts';
export { planSoftmax, SOFTMAX_ALGORITHMS } from './select.ts';
