export { BATCH_NORM_CASES, ROW_NORM_CASES } from './cases.ts';
export {
  type BatchNormProblem,
  makeBatchNormProblem,
  makeInstanceNormProblem,
  makeLayerNormProblem,
  type RowNormProblem,
  type RowStatistic,
} from './problem.ts';
export { BATCH_NORM_ALGORITHMS, planBatchNorm, planRowNorm, ROW_NORM_ALGORITHMS } from './select.ts';
