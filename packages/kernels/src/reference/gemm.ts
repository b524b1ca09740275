/** Matrix products in float64 that every Gemm and MatMul algorithm is checked against: dot products of rows. */
import type { Activation } from '../shared/activation.ts';
import { type Rows, rowProducts } from './row-products.ts';

export interface GemmReferenceInput {
  readonly batch: number;
  readonly srcMatrices: readonly number[];
  readonly weightsMatrices: readonly number[];
  readonly gemmM: number;
  readonly gemmN: number;
  readonly gemmK: number;
  readonly transA: boolean;
  readonly transB: boolean;
  readonly alpha: number;
  readonly beta: number;
  readonly addend: 'none' | 'scalar' | 'row' | 'column' | 'full';
  readonly activation: readonly Activation[];
}

export interface GemmReferenceOperands {
  readonly src: Float32Array;
  readonly weights: Float32Array;
  readonly bias?: Float32Array | undefined;
  readonly residual?: Float32Array | undefined;
}

/** The product before its activation steps, dense [batch, gemmM, gemmN]. */
export function gemmReference(shape: GemmReferenceInput, operands: GemmReferenceOperands): Float64Array {
  const { batch, gemmM, gemmN, gemmK } = shape;
  const dst = new Float64Array(batch * gemmM * gemmN);
  for (let b = 0; b < batch; b++) {
    const from = {
      src: (shape.srcMatrices[b] ?? 0) * gemmM * gemmK,
      weights: (shape.weightsMatrices[b] ?? 0) * gemmK * gemmN,
    };
    const left = rowsOf(operands.src, from.src, { rows: gemmM, terms: gemmK, transposed: shape.transA });
    const right = rowsOf(operands.weights, from.weights, {
      rows: gemmN,
      terms: gemmK,
      transposed: !shape.transB,
    });
    rowProducts(left, right, gemmK, { data: dst, start: b * gemmM * gemmN, rowStep: gemmN });
  }
  return dst.map((sum, at) => {
    const addend = shape.beta * addendAt(shape, operands.bias, Math.floor(at / gemmN) % gemmM, at % gemmN);
    return shape.alpha * sum + addend + (operands.residual?.[at] ?? 0);
  });
}

/** A matrix as rows of its terms, [rows, terms]; `transposed`: it is stored as [terms, rows]. */
function rowsOf(
  source: Float32Array,
  from: number,
  { rows, terms, transposed }: { rows: number; terms: number; transposed: boolean },
): Rows {
  const data = new Float64Array(rows * terms);
  let at = from;
  if (!transposed) data.set(source.subarray(from, from + rows * terms));
  else
    for (let k = 0; k < terms; k++)
      for (let row = 0; row < rows; row++) data[row * terms + k] = source[at++] ?? 0;
  return { data, start: 0, count: rows };
}

function addendAt(shape: GemmReferenceInput, bias: Float32Array | undefined, m: number, n: number): number {
  if (bias === undefined) return 0;
  switch (shape.addend) {
    case 'none':
      return 0;
    case 'scalar':
      return bias[0] ?? 0;
    case 'row':
      return bias[n] ?? 0;
    case 'column':
      return bias[m] ?? 0;
    case 'full':
      return bias[m * shape.gemmN + n] ?? 0;
  }
}
