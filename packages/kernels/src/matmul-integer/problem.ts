/**
 * Matrix product of bytes with int32 sums that wrap around, after numpy:
 *
 *   dst[b, m, n] = sum over k of (src[b, m, k] - zs[b, m]) * (weights[b, k, n] - zw[b, n])
 *
 * Rows of src, columns of weights and both zero points are operands that broadcast to dst: of dims [..., m, 1] and
 * [..., 1, n]. https://onnx.ai/onnx/operators/onnx__MatMulInteger.html
 */
import { broadcastDims } from '../shared/broadcast.ts';
import { misfit } from '../shared/misfit.ts';
import type { ByteType } from '../shared/quantized-type.ts';
import { requireTensor } from '../shared/tensor-size.ts';

export interface MatMulIntegerProblem {
  readonly srcType: ByteType;
  readonly weightsType: ByteType;
  readonly gemmM: number;
  readonly gemmN: number;
  readonly gemmK: number;
  /** [...batch, m, n], as the kernels see dst. */
  readonly fullDims: readonly number[];
  /** Dims of dst: without m or n where an operand is a vector. */
  readonly dstDims: readonly number[];
  /** [...batch, m, 1] and [...batch, 1, n]: which row and column an element of dst needs. */
  readonly rowDims: readonly number[];
  readonly columnDims: readonly number[];
  /** Dims that broadcast to `fullDims`; undefined: no zero point. */
  readonly srcZeroDims: readonly number[] | undefined;
  readonly weightsZeroDims: readonly number[] | undefined;
  readonly weightsConstant: boolean;
}

export interface MatMulIntegerRequest {
  readonly operator?: string;
  readonly srcType: ByteType;
  readonly weightsType: ByteType;
  /** [..., m, k]; rank 1 is [k]. */
  readonly src: readonly number[];
  /** [..., k, n]; rank 1 is [k]. */
  readonly weights: readonly number[];
  /** A scalar, [m], or [..., m, 1]. */
  readonly srcZeroPointDims?: readonly number[] | undefined;
  /** A scalar, [n], or [..., 1, n]. */
  readonly weightsZeroPointDims?: readonly number[] | undefined;
  readonly weightsConstant?: boolean;
}

/** @throws GpuKernelShapeError where ranks, inner extents, batch dims or zero points do not fit. */
export function makeMatMulIntegerProblem(request: MatMulIntegerRequest): MatMulIntegerProblem {
  const { operator = 'MatMulInteger' } = request;
  if (request.src.length === 0 || request.weights.length === 0) {
    throw misfit(operator, 'rank', '0', '1 or more');
  }
  const src = request.src.length === 1 ? [1, ...request.src] : request.src;
  const weights = request.weights.length === 1 ? [...request.weights, 1] : request.weights;
  const [gemmM = 0, gemmK = 0] = src.slice(-2);
  const [innerK = 0, gemmN = 0] = weights.slice(-2);
  if (gemmK !== innerK) throw misfit(operator, 'inner extents', `${gemmK} and ${innerK}`, 'equal ones');
  const batch = broadcastDims(operator, [src.slice(0, -2), weights.slice(0, -2)]);
  const fullDims = [...batch, gemmM, gemmN];
  requireTensor(operator, 'a', src);
  requireTensor(operator, 'b', weights);
  requireTensor(operator, 'y', fullDims);
  return {
    srcType: request.srcType,
    weightsType: request.weightsType,
    gemmM,
    gemmN,
    gemmK,
    fullDims,
    dstDims: [
      ...batch,
      ...(request.src.length === 1 ? [] : [gemmM]),
      ...(request.weights.length === 1 ? [] : [gemmN]),
    ],
    rowDims: [...src.slice(0, -1), 1],
    columnDims: [...weights.slice(0, -2), 1, gemmN],
    srcZeroDims: perRow(operator, 'a_zero_point', request.srcZeroPointDims, fullDims),
    weightsZeroDims: perColumn(operator, 'b_zero_point', request.weightsZeroPointDims, fullDims),
    weightsConstant: request.weightsConstant ?? false,
  };
}

/** Dims of something that is one for all or one a row, as they broadcast to [..., m, n]. @throws GpuKernelShapeError */
export function perRow(
  operator: string,
  field: string,
  dims: readonly number[] | undefined,
  fullDims: readonly number[],
): readonly number[] | undefined {
  if (dims === undefined) return undefined;
  const lifted = dims.length === 1 ? [dims[0] ?? 1, 1] : dims;
  if (lifted.length >= 2 && lifted.at(-1) !== 1) {
    throw misfit(operator, field, dims, 'a scalar, [m] or [..., m, 1]');
  }
  return fitting(operator, field, lifted, fullDims);
}

/** As `perRow`, one a column. */
export function perColumn(
  operator: string,
  field: string,
  dims: readonly number[] | undefined,
  fullDims: readonly number[],
): readonly number[] | undefined {
  if (dims === undefined) return undefined;
  if (dims.length >= 2 && dims.at(-2) !== 1) {
    throw misfit(operator, field, dims, 'a scalar, [n] or [..., 1, n]');
  }
  return fitting(operator, field, dims, fullDims);
}

function fitting(
  operator: string,
  field: string,
  dims: readonly number[],
  fullDims: readonly number[],
): readonly number[] {
  const offset = fullDims.length - dims.length;
  const fits = dims.every((extent, axis) => extent === 1 || extent === fullDims[axis + offset]);
  if (offset >= 0 && fits) return dims;
  throw misfit(operator, field, dims, `something that broadcasts to [${fullDims.join(', ')}]`);
}
