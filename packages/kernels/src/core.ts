/**
 * What networks of floats on pictures need of this package: `@onegpu/kernels/core`. No file of it imports another that only
 * the whole package needs, so that bundlers that look at files alone keep the two apart.
 */
// biome-ignore-all assist/source/organizeImports: alike kernels stand together, as in `index.ts`.

// Along an axis
export { makeSoftmaxProblem, type SoftmaxProblem } from './softmax/problem.ts';
export { planSoftmax } from './softmax/select.ts';
export {
  makeBatchNormProblem,
  makeInstanceNormProblem,
  makeLayerNormProblem,
  type RowNormProblem,
  type RowStatistic,
} from './normalization/problem.ts';
export { planBatchNorm, planRowNorm } from './normalization/select.ts';

// Element by element
export { type MapElement, mapElementBytes } from './map/element.ts';
export type { Comparison, FloatTest, MapFunction } from './map/functions.wgsl.ts';
export type { MapProblem, MapRequest } from './map/problem.ts';
export { makeUnaryProblem } from './unary/problem.ts';
export { selectUnary } from './unary/select.ts';
export type { BinaryFunction } from './binary/functions.wgsl.ts';
export { type BinaryOperand, makeBinaryProblem } from './binary/problem.ts';
export { selectBinary } from './binary/select.ts';

// Rows, slices and windows
export { makeReduceProblem, type ReduceOperation, type ReduceProblem } from './reduce/problem.ts';
export { planReduce } from './reduce/select.ts';
export { makeGatherRowsProblem } from './gather/problem.ts';
export { selectGather } from './gather/select.ts';
export { type ConcatProblem, makeConcatProblem, planConcat } from './move/concat.ts';
export { makeConvertLayoutProblem, planConvertLayout } from './move/convert-layout.ts';
export { makePadProblem, type PadMode } from './move/pad.ts';
export {
  type DepthRequest,
  makeDepthToSpaceProblem,
  makeSpaceToDepthProblem,
  makeTransposeProblem,
} from './move/rearrange.ts';
export { makeExpandProblem, makeGatherProblem, makeTileProblem } from './move/repeat.ts';
export { planSplit, selectMove, type SplitRequest, splitViews } from './move/select.ts';
export { makeSliceProblem } from './move/slice.ts';
export { type MoveElement, type MoveProblem, viewIndices } from './move/view.ts';
export {
  makeGlobalPoolProblem,
  makePoolProblem,
  type PoolElement,
  poolName,
  type PoolOperation,
  type PoolProblem,
} from './pool/problem.ts';
export { planPool } from './pool/select.ts';

// Products of matrices
export { type GemmProblem, makeGemmProblem, makeMatMulProblem } from './gemm/problem.ts';
export { GEMM_ALGORITHMS, selectGemm } from './gemm/select.ts';

// Convolutions
export { CORE_CONV_ALGORITHMS } from './conv/core-algorithms.ts';
export { type ConvProblem, type ConvRequest, makeConvProblem } from './conv/problem.ts';
export { CORE_CONV_TRANSPOSE_ALGORITHMS } from './conv-transpose/core-algorithms.ts';
export { convTransposeDstLayout, preferredConvTransposeLayout } from './conv-transpose/layouts.ts';
export { type ConvTransposeProblem, makeConvTransposeProblem } from './conv-transpose/problem.ts';

// Maps as a whole
export { CORE_RESIZE_ALGORITHMS } from './resize/core-algorithms.ts';
export { isInteger, type ResizeElement } from './resize/element.ts';
export type { CoordinateMode, NearestMode, ResizeMode, Sampling } from './resize/plan.ts';
export { type AspectRatioPolicy, makeResizeProblem, type ResizeProblem } from './resize/problem.ts';

// No nodes of a model
export * from './image-input/index.ts';

// Results in float64, and what kernels share
export { applyActivation } from './reference/activation.ts';
export { applyBinary, binaryReference, type ReferenceOperand } from './reference/binary.ts';
export { type GemmReferenceOperands, gemmReference } from './reference/gemm.ts';
export { referenceBatchNorm, referenceRowNorm, referenceRowStatistics } from './reference/normalization.ts';
export { averageWalk, referencePool, referencePoolIndices } from './reference/pool.ts';
export { referenceReduce } from './reference/reduce.ts';
export { referenceSoftmax } from './reference/softmax.ts';
export {
  batchNormSum,
  binarySum,
  gemmSum,
  poolSum,
  reduceSum,
  rowNormSum,
  softmaxSum,
  unarySum,
} from './reference/sums.ts';
export type { Activation, SimpleActivation } from './shared/activation.ts';
export {
  type Algorithm,
  type KernelOptions,
  type NumericMode,
  type Refusal,
  selectAlgorithm,
  type Selection,
} from './shared/algorithm.ts';
export { broadcastDims } from './shared/broadcast.ts';
export { type Epilogue, PLAIN_EPILOGUE } from './shared/epilogue.ts';
export { elementCount, type Layout, layoutElements, packNhwc4 } from './shared/layout.ts';
export { misfit, resolveAxis } from './shared/misfit.ts';
export { type LayerChoice, tunableLayer } from './shared/tunable-layer.ts';
