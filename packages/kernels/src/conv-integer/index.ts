export { CONV_INTEGER_CASES, type ConvIntegerCase } from './cases.ts';
export { type ConvIntegerProblem, type ConvIntegerRequest, makeConvIntegerProblem } from './problem.ts';
export { CONV_INTEGER_ALGORITHMS, convIntegerLayout, planConvInteger } from './select.ts';
