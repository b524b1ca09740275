/**
 * What every matrix kernel shares in WGSL: parameters, bindings, loads of vec4 along k (src) and along n (weights)
 * and the store with its epilogue. Terms past gemmK are zero on both sides, so that no infinity of a neighbouring
 * row can leak in; rows and columns past the edge are clamped on load and never stored.
 */
import { activationWgsl, floatLiteral } from '../shared/activation.ts';
import { FOLDED_WORKGROUP } from '../shared/prelude.ts';
import { GEMM_PARAMS, type GemmSpec, gemmBindings, type MatrixArrangement } from './spec.ts';

function paramsWgsl(spec: GemmSpec): string {
  const names = [...GEMM_PARAMS, ...Object.keys(spec.scatter?.params ?? {})];
  const padding = Array.from({ length: -names.length & 3 }, (_, i) => `unused_${i}`);
  return `struct Params {
${[...names, ...padding].map((name) => `  ${name}: u32,`).join('\n')}
}`;
}

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

/** Where a row of src begins, and four terms of it. */
const SRC: Readonly<Record<MatrixArrangement, string>> = {
  'row-vec4': `
fn src_row(matrix: u32, m: u32) -> u32 { return (matrix * params.gemm_m + m) * k_quads(); }
fn load_src(row: u32, k4: u32) -> vec4f { return src[row + k4]; }`,
  row: `
fn src_row(matrix: u32, m: u32) -> u32 { return (matrix * params.gemm_m + m) * gemm_k(); }
fn load_src(row: u32, k4: u32) -> vec4f {
  let k = vec4u(4u * k4) + vec4u(0u, 1u, 2u, 3u);
  let at = min(k, vec4u(gemm_k() - 1u)) + vec4u(row);
  return select(vec4f(), vec4f(src[at.x], src[at.y], src[at.z], src[at.w]), k < vec4u(gemm_k()));
}`,
  column: `
fn src_row(matrix: u32, m: u32) -> u32 { return matrix * params.gemm_m * gemm_k() + m; }
fn load_src(row: u32, k4: u32) -> vec4f {
  let k = vec4u(4u * k4) + vec4u(0u, 1u, 2u, 3u);
  let at = min(k, vec4u(gemm_k() - 1u)) * vec4u(params.gemm_m) + vec4u(row);
  return select(vec4f(), vec4f(src[at.x], src[at.y], src[at.z], src[at.w]), k < vec4u(gemm_k()));
}`,
};

/** Where a vec4 of columns of weights begins, and row k of it; `row-vec4` rows are padded to a multiple of four. */
const WEIGHTS: Readonly<Record<MatrixArrangement, string>> = {
  'row-vec4': `
fn weights_column(matrix: u32, n4: u32) -> u32 {
  return matrix * 4u * k_quads() * n_quads() + min(n4, n_quads() - 1u);
}
fn load_weights(column: u32, k: u32) -> vec4f { return weights[column + k * n_quads()]; }`,
  row: `
fn weights_column(matrix: u32, n4: u32) -> vec4u {
  return vec4u(matrix * gemm_k() * gemm_n()) + columns_of(n4);
}
fn load_weights(column: vec4u, k: u32) -> vec4f {
  let at = column + vec4u(min(k, gemm_k() - 1u) * gemm_n());
  return select(vec4f(), vec4f(weights[at.x], weights[at.y], weights[at.z], weights[at.w]), k < gemm_k());
}`,
  column: `
fn weights_column(matrix: u32, n4: u32) -> vec4u {
  return vec4u(matrix * gemm_k() * gemm_n()) + columns_of(n4) * vec4u(gemm_k());
}
fn load_weights(column: vec4u, k: u32) -> vec4f {
  let at = column + vec4u(min(k, gemm_k() - 1u));
  return select(vec4f(), vec4f(weights[at.x], weights[at.y], weights[at.z], weights[at.w]), k < gemm_k());
}`,
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
  return `${paramsWgsl(spec)}
${declarations(spec)}
${FOLDED_WORKGROUP}
fn gemm_k() -> u32 { return ${spec.gemmK === undefined ? 'params.gemm_k' : `${spec.gemmK}u`}; }
fn gemm_n() -> u32 { return ${spec.gemmN === undefined ? 'params.gemm_n' : `${spec.gemmN}u`}; }
fn k_quads() -> u32 { return (gemm_k() + 3u) / 4u; }
fn n_quads() -> u32 { return (gemm_n() + 3u) / 4u; }
// x: matrix of src, y: matrix of weights
fn matrices_of(b: u32) -> vec2u { ${matrices} }
fn columns_of(n4: u32) -> vec4u {
  return min(vec4u(4u * n4) + vec4u(0u, 1u, 2u, 3u), vec4u(gemm_n() - 1u));
}
${SRC[spec.src]}
${WEIGHTS[spec.weights]}
${finishWgsl(spec)}
${spec.scatter?.wgsl ?? STORE[spec.dst]}`;
}
