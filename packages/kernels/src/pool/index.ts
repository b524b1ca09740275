export { POOL_CASES } from './cases.ts';
export {
  type IndexOrder,
  makeGlobalPoolProblem,
  makePoolProblem,
  type PoolElement,
  type PoolOperation,
  type PoolProblem,
  type PoolRequest,
  poolName,
} from './problem.ts';
export { POOL_ALGORITHMS, planPool } from './select.ts';
