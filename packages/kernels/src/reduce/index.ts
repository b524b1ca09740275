export { REDUCE_CASES } from './cases.ts';
export {
  makeReduceProblem,
  type ReduceOperation,
  type ReduceProblem,
  type ReduceRequest,
} from './problem.ts';
export { planReduce, REDUCE_ALGORITHMS } from './select.ts';
