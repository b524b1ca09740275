/**
 * What every matrix kernel shares in WGSL: parameters, bindings, loads of vec4 along k (src) and along n (weights)
 * and the store with its epilogue. Terms past gemmK are zero on both sides, so that no infinity of a neighbouring
 * row can leak in; rows and columns past the edge are clamped on load and never stored.
 */
import { activationWgsl, floatLiteral } from '../shared/activation.ts';
import { FOLDED_WORKGROUP } from '../shared/prelude.ts';
import { type GemmSpec, gemmBindings, type MatrixArrangement } from './spec.ts';

const PARAMS = `
struct Params {
  gemm_m: u32,
  gemm_n: u32,
  gemm_k: u32,
  batch: u32,
  m_tiles: u32,
  n_tiles: u32,
  unused_0: u32,
  unused_1: u32,
}`;

/** Element types of the storage arrays; a row of `dst` decides those of `bias` and `residual`. */
function elementTypes(spec: GemmSpec): Readonly<Record<string, string>> {
  const perRow = spec.addend === 'row' || spec.addend === 'full' ? spec.dst : 'f32';
  return {
    src: spec.src === 'row-vec4' ? 'vec4f' : 'f32',
    weights: spec.weights === 'row-vec4' ? 'vec4f' : 'f32',
    dst: spec.dst,
    matrices: 'vec2u',
    bias: perRow,
    residual: spec.dst,
  };
}

function declarations(spec: GemmSpec): string {
  const types = elementTypes(spec);
  const bindings = gemmBindings(spec);
  const lines = bindings.map(
    ({ operand, access }, i) =>
      `@group(0) @binding(${i}) var<storage, ${access}> ${operand}: array<${types[operand] ?? 'f32'}>;`,
  );
  return [...lines, `@group(0) @binding(${bindings.length}) var<uniform> params: Params;`].join('\n');
}

const LOAD_SRC: Readonly<Record<MatrixArrangement, string>> = {
  'row-vec4': 'return src[(matrix * params.gemm_m + row) * (gemm_k() / 4u) + k4];',
  row: `let base = (matrix * params.gemm_m + row) * gemm_k();
  let at = vec4u(4u * k4) + vec4u(0u, 1u, 2u, 3u);
  let safe = min(at, vec4u(gemm_k() - 1u)) + vec4u(base);
  return select(vec4f(), vec4f(src[safe.x], src[safe.y], src[safe.z], src[safe.w]), at < vec4u(gemm_k()));`,
  column: `let base = matrix * params.gemm_m * gemm_k() + row;
  let at = vec4u(4u * k4) + vec4u(0u, 1u, 2u, 3u);
  let safe = min(at, vec4u(gemm_k() - 1u)) * vec4u(params.gemm_m) + vec4u(base);
  return select(vec4f(), vec4f(src[safe.x], src[safe.y], src[safe.z], src[safe.w]), at < vec4u(gemm_k()));`,
};

const LOAD_WEIGHTS: Readonly<Record<MatrixArrangement, string>> = {
  // Rows are padded to a multiple of four as well.
  'row-vec4': 'return weights[(matrix * 4u * k_quads() + k) * n_quads() + min(n4, n_quads() - 1u)];',
  row: `let base = (matrix * gemm_k() + min(k, gemm_k() - 1u)) * gemm_n();
  let at = min(vec4u(4u * n4) + vec4u(0u, 1u, 2u, 3u), vec4u(gemm_n() - 1u)) + vec4u(base);
  return select(vec4f(), vec4f(weights[at.x], weights[at.y], weights[at.z], weights[at.w]), k < gemm_k());`,
  column: `let base = matrix * gemm_k() * gemm_n() + min(k, gemm_k() - 1u);
  let column = min(vec4u(4u * n4) + vec4u(0u, 1u, 2u, 3u), vec4u(gemm_n() - 1u));
  let at = column * vec4u(gemm_k()) + vec4u(base);
  return select(vec4f(), vec4f(weights[at.x], weights[at.y], weights[at.z], weights[at.w]), k < gemm_k());`,
};

/** Value of the addend for column (or vec4 of columns) `n` of row `m`. */
const ADDEND: Readonly<Record<GemmSpec['addend'], string>> = {
  none: '',
  scalar: 'bias[0]',
  row: 'bias[n]',
  column: 'bias[m]',
  full: 'bias[m * columns + n]',
};

function finishWgsl(spec: GemmSpec): string {
  const type = spec.dst;
  const scale = spec.alpha === 1 ? '' : `value = ${floatLiteral(spec.alpha)} * value;`;
  const addend =
    spec.addend === 'none'
      ? ''
      : spec.beta === 1
        ? `value = value + ${type}(${ADDEND[spec.addend]});`
        : `value = fma(${type}(${floatLiteral(spec.beta)}), ${type}(${ADDEND[spec.addend]}), value);`;
  return `
${activationWgsl(spec.activation, type)}
fn finish(sum: ${type}, m: u32, n: u32, columns: u32, dst_index: u32) -> ${type} {
  var value = sum;
  ${scale}
  ${addend}
  ${spec.residual ? 'value = value + residual[dst_index];' : ''}
  return activate(value);
}`;
}

const STORE: Readonly<Record<GemmSpec['dst'], string>> = {
  vec4f: `
fn store_dst(sum: vec4f, matrix: u32, m: u32, n4: u32) {
  if (m < params.gemm_m && n4 < n_quads()) {
    let at = (matrix * params.gemm_m + m) * n_quads() + n4;
    dst[at] = finish(sum, m, n4, n_quads(), at);
  }
}`,
  f32: `
fn store_dst(sum: vec4f, matrix: u32, m: u32, n4: u32) {
  if (m < params.gemm_m) {
    let base = (matrix * params.gemm_m + m) * gemm_n();
    for (var lane = 0u; lane < 4u; lane++) {
      let n = 4u * n4 + lane;
      if (n < gemm_n()) {
        dst[base + n] = finish(sum[lane], m, n, gemm_n(), base + n);
      }
    }
  }
}`,
};

/** All of it; kernels add their workgroup variables and `main`. `f32` kernels use `finish` directly. */
export function gemmAccessWgsl(spec: GemmSpec): string {
  const matrices = spec.batched ? 'return matrices[b];' : 'return vec2u(b);';
  return `${PARAMS}
${declarations(spec)}
${FOLDED_WORKGROUP}
fn gemm_k() -> u32 { return ${spec.gemmK === undefined ? 'params.gemm_k' : `${spec.gemmK}u`}; }
fn gemm_n() -> u32 { return ${spec.gemmN === undefined ? 'params.gemm_n' : `${spec.gemmN}u`}; }
fn k_quads() -> u32 { return (gemm_k() + 3u) / 4u; }
fn n_quads() -> u32 { return (gemm_n() + 3u) / 4u; }
// x: matrix of src, y: matrix of weights
fn matrices_of(b: u32) -> vec2u { ${matrices} }
fn load_src(matrix: u32, row: u32, k4: u32) -> vec4f { // src[row, 4 * k4 ..]
  ${LOAD_SRC[spec.src]}
}
fn load_weights(matrix: u32, k: u32, n4: u32) -> vec4f { // weights[k, 4 * n4 ..]
  ${LOAD_WEIGHTS[spec.weights]}
}
${finishWgsl(spec)}
${STORE[spec.dst]}`;
}
