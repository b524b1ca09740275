export { LRN_CASES } from './cases.ts';
export { type LrnProblem, type LrnRequest, makeLrnProblem } from './problem.ts';
export { LRN_ALGORITHMS, planLrn } from './select.ts';
