export { MAX_UNPOOL_CASES } from './cases.ts';
export { type MaxUnpoolProblem, type MaxUnpoolRequest, makeMaxUnpoolProblem } from './problem.ts';
export { MAX_UNPOOL_ALGORITHMS, planMaxUnpool } from './select.ts';
