export {
  makeQLinearConvProblem,
  planQLinearConv,
  QLINEAR_CONV_ALGORITHMS,
  type QLinearConvProblem,
  type QLinearConvRequest,
  qlinearConvRequantize,
} from './conv.ts';
export {
  makeQLinearMatMulProblem,
  planQLinearMatMul,
  QLINEAR_MATMUL_ALGORITHMS,
  type QLinearMatMulProblem,
  type QLinearMatMulRequest,
  qlinearMatMulRequantize,
} from './matmul.ts';
export type { RequantizeOperands, RequantizeProblem } from './requantize.ts';
