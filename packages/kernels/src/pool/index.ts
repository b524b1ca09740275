export { POOL_CASES } from './cases.ts';
export {
  makeGlobalPoolProblem,
  makePoolProblem,
  type PoolOperation,
  type PoolProblem,
  type PoolRequest,
} from './problem.ts';
export { POOL_ALGORITHMS, planPool } from './select.ts';
