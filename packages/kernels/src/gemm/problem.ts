/**
 * Matrix products: ONNX's Gemm and MatMul as one problem.
 *
 *   dst[b, m, n] = activation(alpha * sum_k src[a(b), m, k] * weights[w(b), k, n] + beta * bias[m, n] + residual[b, m, n])
 *
 * `src` lies as [m, k] (or [k, m] with transA), `weights` as [k, n] (or [n, k] with transB); a(b) and w(b) are the
 * matrices that numpy's broadcasting picks for output matrix b.
 * https://onnx.ai/onnx/operators/onnx__Gemm.html, https://onnx.ai/onnx/operators/onnx__MatMul.html
 */
import { GpuKernelShapeError } from '@onegpu/core';
import type { Activation } from '../shared/activation.ts';
import { misfit } from '../shared/misfit.ts';
import { requireFinite, requireTensor } from '../shared/tensor-size.ts';

/** How the addend C spreads over [gemmM, gemmN]: one number, one a column, one a row, or all of them. */
export type GemmAddend = 'none' | 'scalar' | 'row' | 'column' | 'full';

export interface GemmProblem {
  readonly operator: 'gemm' | 'matmul';
  /** Output matrices; 1 for Gemm. Zero where a batch dimension is empty. */
  readonly batch: number;
  /** Matrix of `src` and of `weights` that each output matrix reads, `batch` entries each. */
  readonly srcMatrices: readonly number[];
  readonly weightsMatrices: readonly number[];
  /** Number of matrices stored in `weights`. */
  readonly weightsCount: number;
  readonly gemmM: number;
  readonly gemmN: number;
  readonly gemmK: number;
  readonly transA: boolean;
  readonly transB: boolean;
  readonly alpha: number;
  readonly beta: number;
  readonly addend: GemmAddend;
  /** `weights` are known at load: gemmK and gemmN are compiled in and the operand may be packed. */
  readonly weightsConstant: boolean;
  readonly residual: boolean;
  readonly activation: readonly Activation[];
  readonly dstDims: readonly number[];
}

export interface GemmOptions {
  /** [m, k], or [k, m] with transA. */
  readonly srcDims: readonly number[];
  /** [k, n], or [n, k] with transB. */
  readonly weightsDims: readonly number[];
  /** Broadcastable to [m, n] from the right; absent: no addend. */
  readonly biasDims?: readonly number[] | undefined;
  readonly transA?: boolean;
  readonly transB?: boolean;
  readonly alpha?: number;
  readonly beta?: number;
  readonly weightsConstant?: boolean;
  readonly residual?: boolean;
  readonly activation?: readonly Activation[];
}

/** @throws GpuKernelShapeError where a rank, the inner extents or the addend do not fit. */
export function makeGemmProblem(options: GemmOptions): GemmProblem {
  const { srcDims, weightsDims, transA = false, transB = false } = options;
  requireRank2('src', srcDims);
  requireRank2('weights', weightsDims);
  requireTensor('gemm', 'src', srcDims);
  requireTensor('gemm', 'weights', weightsDims);
  requireFinite('gemm', 'alpha', options.alpha ?? 1);
  requireFinite('gemm', 'beta', options.beta ?? 1);
  const [gemmM, gemmK] = oriented(srcDims, transA);
  const [innerK, gemmN] = oriented(weightsDims, transB);
  requireInner('gemm', gemmK, innerK);
  requireTensor('gemm', 'dst', [gemmM, gemmN]);
  return {
    operator: 'gemm',
    batch: 1,
    srcMatrices: [0],
    weightsMatrices: [0],
    weightsCount: 1,
    gemmM,
    gemmN,
    gemmK,
    transA,
    transB,
    alpha: options.alpha ?? 1,
    beta: options.beta ?? 1,
    addend: addendOf(options.biasDims, options.beta ?? 1, gemmM, gemmN),
    weightsConstant: options.weightsConstant ?? false,
    residual: options.residual ?? false,
    activation: options.activation ?? [],
    dstDims: [gemmM, gemmN],
  };
}

export interface MatMulOptions {
  /** [..., m, k]; rank 1 is [k]. */
  readonly srcDims: readonly number[];
  /** [..., k, n]; rank 1 is [k]. */
  readonly weightsDims: readonly number[];
  /** One addend a column, [n]. */
  readonly bias?: boolean;
  readonly weightsConstant?: boolean;
  readonly residual?: boolean;
  readonly activation?: readonly Activation[];
}

/** @throws GpuKernelShapeError where a rank is 0, the inner extents differ or the batch dims do not broadcast. */
export function makeMatMulProblem(options: MatMulOptions): GemmProblem {
  const { srcDims, weightsDims } = options;
  requireRank1('src', srcDims);
  requireRank1('weights', weightsDims);
  requireTensor('matmul', 'src', srcDims);
  requireTensor('matmul', 'weights', weightsDims);
  const src = srcDims.length === 1 ? [1, ...srcDims] : srcDims;
  const weights = weightsDims.length === 1 ? [...weightsDims, 1] : weightsDims;
  const [gemmM, gemmK] = oriented(src.slice(-2), false);
  const [innerK, gemmN] = oriented(weights.slice(-2), false);
  requireInner('matmul', gemmK, innerK);
  const srcBatch = src.slice(0, -2);
  const weightsBatch = weights.slice(0, -2);
  const batchDims = broadcastDims(srcBatch, weightsBatch);
  const dstDims = [
    ...batchDims,
    ...(srcDims.length === 1 ? [] : [gemmM]),
    ...(weightsDims.length === 1 ? [] : [gemmN]),
  ];
  requireTensor('matmul', 'dst', dstDims);
  const shared = {
    operator: 'matmul' as const,
    weightsCount: product(weightsBatch),
    gemmN,
    gemmK,
    transA: false,
    transB: false,
    alpha: 1,
    beta: 1,
    addend: options.bias === true ? ('row' as const) : ('none' as const),
    weightsConstant: options.weightsConstant ?? false,
    residual: options.residual ?? false,
    activation: options.activation ?? [],
    dstDims,
  };
  const batch = product(batchDims);
  if (product(weightsBatch) === 1 && product(srcBatch) === batch) {
    // One matrix of weights: the batch is nothing but more rows.
    return { ...shared, batch: 1, gemmM: gemmM * batch, srcMatrices: [0], weightsMatrices: [0] };
  }
  return {
    ...shared,
    batch,
    gemmM,
    srcMatrices: broadcastIndices(srcBatch, batchDims),
    weightsMatrices: broadcastIndices(weightsBatch, batchDims),
  };
}

function product(dims: readonly number[]): number {
  return dims.reduce((total, extent) => total * extent, 1);
}

function oriented(dims: readonly number[], transposed: boolean): readonly [number, number] {
  const [first = 1, second = 1] = dims;
  return transposed ? [second, first] : [first, second];
}

function requireRank2(field: string, dims: readonly number[]): void {
  if (dims.length === 2) return;
  throw new GpuKernelShapeError('Gemm multiplies matrices', {
    subject: 'gemm',
    field,
    got: `[${dims.join(', ')}]`,
    expected: 'rank 2',
    remedy: 'Flatten the operand first',
  });
}

function requireRank1(field: string, dims: readonly number[]): void {
  if (dims.length >= 1) return;
  throw new GpuKernelShapeError('MatMul takes no scalars', {
    subject: 'matmul',
    field,
    got: 'rank 0',
    expected: 'rank 1 or more',
    remedy: 'Use Mul for a scalar',
  });
}

function requireInner(operator: string, got: number, expected: number): void {
  if (got === expected) return;
  throw misfit(operator, 'gemmK', `${got} in src`, `${expected} as in weights`);
}

function addendOf(
  dims: readonly number[] | undefined,
  beta: number,
  gemmM: number,
  gemmN: number,
): GemmAddend {
  if (dims === undefined) return 'none';
  const [rows, columns] = dims.length === 0 ? [1, 1] : dims.length === 1 ? [1, dims[0] ?? 1] : dims;
  const fits = (extent: number | undefined, whole: number): boolean => extent === 1 || extent === whole;
  if (dims.length > 2 || !fits(rows, gemmM) || !fits(columns, gemmN)) {
    throw misfit('gemm', 'bias', dims, `something that broadcasts to [${gemmM}, ${gemmN}]`);
  }
  if (beta === 0) return 'none';
  if (product(dims) === 1) return 'scalar';
  if (rows === 1) return 'row';
  return columns === 1 ? 'column' : 'full';
}

/** numpy's broadcasting of two lists of extents, aligned at the right. */
function broadcastDims(left: readonly number[], right: readonly number[]): number[] {
  const rank = Math.max(left.length, right.length);
  return Array.from({ length: rank }, (_, axis) => {
    const a = left[axis - rank + left.length] ?? 1;
    const b = right[axis - rank + right.length] ?? 1;
    if (a !== b && a !== 1 && b !== 1) {
      throw misfit('matmul', 'weights', right, `something that broadcasts with [${left.join(', ')}]`);
    }
    return a === 1 ? b : a;
  });
}

/** Flat index into `dims` for every index of the broadcast extents `target`. */
function broadcastIndices(dims: readonly number[], target: readonly number[]): number[] {
  let indices = [0];
  let stride = 1;
  // From the last axis outwards: every known index is repeated once a step along the new axis.
  for (let axis = target.length - 1; axis >= 0; axis--) {
    const extent = dims[axis - target.length + dims.length] ?? 1;
    const step = extent === 1 ? 0 : stride;
    const inner = indices;
    indices = Array.from({ length: target[axis] ?? 1 }, (_, i) =>
      inner.map((index) => index + i * step),
    ).flat();
    stride *= extent;
  }
  return indices;
}
