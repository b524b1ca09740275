export { MATMUL_INTEGER_CASES, type MatMulIntegerCase } from './cases.ts';
export {
  type MatMulIntegerProblem,
  type MatMulIntegerRequest,
  makeMatMulIntegerProblem,
  perColumn,
  perRow,
} from './problem.ts';
export { MATMUL_INTEGER_ALGORITHMS, planMatMulInteger } from './select.ts';
