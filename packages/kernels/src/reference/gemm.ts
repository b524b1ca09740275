/** Matrix products in float64: the plain triple loop that every Gemm and MatMul algorithm is checked against. */
import type { Activation } from '../shared/activation.ts';

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
    const a = (shape.srcMatrices[b] ?? 0) * gemmM * gemmK;
    const w = (shape.weightsMatrices[b] ?? 0) * gemmK * gemmN;
    for (let m = 0; m < gemmM; m++) {
      for (let n = 0; n < gemmN; n++) {
        let sum = 0;
        for (let k = 0; k < gemmK; k++) {
          const left = operands.src[a + (shape.transA ? k * gemmM + m : m * gemmK + k)] ?? 0;
          const right = operands.weights[w + (shape.transB ? n * gemmK + k : k * gemmN + n)] ?? 0;
          sum += left * right;
        }
        const at = (b * gemmM + m) * gemmN + n;
        const addend = shape.beta * addendAt(shape, operands.bias, m, n);
        dst[at] = shape.alpha * sum + addend + (operands.residual?.[at] ?? 0);
      }
    }
  }
  return dst;
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
