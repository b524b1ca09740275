/** Matrix product, one output an invocation, every operand read by the number: slow, and takes every problem. */
import { gemmAccessWgsl } from './access.wgsl.ts';
import { BLOCK_TERMS, type GemmSpec } from './spec.ts';

export const DIRECT_INVOCATIONS = 64;

/** Index of element [k, n] or [m, k] by whether the operand is transposed. */
const SRC_INDEX = {
  row: '(matrix.x * params.gemm_m + m) * gemm_k() + k',
  column: '(matrix.x * gemm_k() + k) * params.gemm_m + m',
};
const WEIGHTS_INDEX = {
  row: '(matrix.y * gemm_k() + k) * gemm_n() + n',
  column: '(matrix.y * gemm_n() + n) * gemm_k() + k',
};

/** `spec` holds scalar arrangements only. */
export function directWgsl(spec: GemmSpec): string {
  return `${gemmAccessWgsl(spec)}
@compute @workgroup_size(${DIRECT_INVOCATIONS})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let index = folded_workgroup(workgroup, workgroups) * ${DIRECT_INVOCATIONS}u + local;
  if (index >= params.batch * params.gemm_m * gemm_n()) { return; }
  let n = index % gemm_n();
  let m = index / gemm_n() % params.gemm_m;
  let matrix = matrices_of(index / gemm_n() / params.gemm_m);
  var sum = 0.0;
  var k = 0u;
  let blocks = (gemm_k() + ${BLOCK_TERMS - 1}u) / ${BLOCK_TERMS}u;
  for (var block = 0u; block < blocks; block++) {
    var c = 0.0;
    for (var term = 0u; term < ${BLOCK_TERMS}u; term++) {
      if (k >= gemm_k()) { break; }
      c = fma(src[${spec.src === 'column' ? SRC_INDEX.column : SRC_INDEX.row}], weights[${spec.weights === 'column' ? WEIGHTS_INDEX.column : WEIGHTS_INDEX.row}], c);
      k++;
    }
    sum = sum + c;
  }
  dst[index] = finish(sum, m, n, gemm_n(), index);
}`;
}
