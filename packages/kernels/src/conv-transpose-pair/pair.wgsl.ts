/**
 * Two transposed convolutions with kernel = stride, the second to one channel. An invocation makes, for `pixels` source
 * pixels and one tap of the first, all channels between the two, then their product with the taps of the second:
 *
 *   src [batch, ih, iw, IC_QUADS], first_weights [k, tap, MID_QUADS], weights [m, taps of the second / 4] of vec4f
 *   dst [batch, ih * KH * KH2, iw * KW * KW2] of f32
 *
 * Weights are read at the same address by a whole workgroup. Both sums are in the order of `pixel-taps`.
 */
import { INVOCATIONS } from '../conv-transpose/spec.ts';
import { quadBlocks } from '../gemm/blocks.ts';
import { cellLines, columnLines, multiplyLines, type RegisterTile, rowLines } from '../gemm/tile-lines.ts';
import { type Activation, activateWgsl, activationMath } from '../shared/activation.ts';
import { mathWgsl } from '../shared/math.wgsl.ts';
import { FOLDED_WORKGROUP } from '../shared/prelude.ts';

/** What the text of both kernels depends on. */
export interface PairShape {
  readonly ic: number;
  /** Channels between the convolutions. */
  readonly mid: number;
  readonly kernel: readonly [height: number, width: number];
  readonly secondKernel: readonly [height: number, width: number];
  readonly firstBias: boolean;
  readonly bias: boolean;
  readonly hiddenActivation: readonly Activation[];
  readonly activation: readonly Activation[];
}

export interface PairSpec extends PairShape {
  /** Source pixels an invocation makes, `INVOCATIONS` apart; each vec4 of weights that is read serves them all. */
  readonly pixels: number;
}

export function pairWgsl(spec: PairSpec): string {
  const { ic, mid } = spec;
  const [kh2, kw2] = spec.secondKernel;
  const tile: RegisterTile = { rows: spec.pixels, columns: Math.ceil(mid / 4) };
  const out: RegisterTile = { rows: spec.pixels, columns: Math.ceil((kh2 * kw2) / 4) };
  const blocks = quadBlocks(ic);
  return `${pairHead(spec)}
const RAGGED = ${blocks.ragged};

@compute @workgroup_size(${INVOCATIONS})
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let index = folded_workgroup(workgroup, workgroups);
  let tap = index % TAPS;
  let first = index / TAPS * ${spec.pixels * INVOCATIONS}u + local;
  if (first >= params.pixels) { return; }
  ${rowLines(
    tile,
    (row) => `let pixel${row} = first + ${row * INVOCATIONS}u;
  let src${row} = min(pixel${row}, params.pixels - 1u) * IC_QUADS;`,
  )}
  ${cellLines(tile, (row, column) => `var sum${row}_${column} = vec4f();`)}
  for (var block = 0u; block < ${blocks.count}; block++) {
    ${cellLines(tile, (row, column) => `var c${row}_${column} = vec4f();`)}
    for (var step = 0u; step < ${blocks.steps}u; step++) {
      let k4 = block * ${blocks.steps}u + step;
      if (RAGGED && k4 >= IC_QUADS) { break; }
      let row_of_weights = (4u * k4 * TAPS + tap) * MID_QUADS;
      ${rowLines(tile, (row) => `let a${row} = src[src${row} + k4];`)}
      ${multiplyLines(tile, (lane, column) => `first_weights[row_of_weights + ${lane}u * TAPS * MID_QUADS + ${column}u]`)}
    }
    ${cellLines(tile, (row, column) => `sum${row}_${column} = sum${row}_${column} + c${row}_${column};`)}
  }
  ${cellLines(out, (row, column) => `var c${row}_${column} = vec4f();`)}
  ${columnLines(
    tile,
    (quad) => `{
    ${rowLines(tile, (row) => `let a${row} = between(sum${row}_${quad}${spec.firstBias ? ` + first_bias[${quad}]` : ''}, ${quad}u);`)}
    ${multiplyLines(out, (lane, column) => `weights[${4 * quad + lane}u * OUT_QUADS + ${column}u]`)}
  }`,
  )}
  ${rowLines(out, (row) => `if (pixel${row} < params.pixels) {\n${columnLines(out, (column) => `store(c${row}_${column}, pixel${row}, tap, ${column}u);`)}\n}`)}
}`;
}

/** Operands, constants, activations, and `store` of four taps of the second convolution. */
export function pairHead(spec: PairShape): string {
  const { ic, mid, hiddenActivation, activation } = spec;
  const [kh, kw] = spec.kernel;
  const [kh2, kw2] = spec.secondKernel;
  const read = (name: string, element: string): string => `var<storage, read> ${name}: array<${element}>;`;
  const operands = [
    ...[read('src', 'vec4f'), read('first_weights', 'vec4f'), read('weights', 'vec4f')],
    ...(spec.firstBias ? [read('first_bias', 'vec4f')] : []),
    ...(spec.bias ? [read('bias', 'f32')] : []),
    'var<storage, read_write> dst: array<f32>;',
    'var<uniform> params: Params;',
  ];
  return `
struct Params {
  iw: u32,
  pixels: u32, // batch * ih * iw
  unused0: u32,
  unused1: u32,
}
${operands.map((text, binding) => `@group(0) @binding(${binding}) ${text}`).join('\n')}
${mathWgsl([...activationMath(hiddenActivation), ...activationMath(activation)])}
${activateWgsl(hiddenActivation, 'vec4f').replace('fn activate(', 'fn activate_hidden(')}
${activateWgsl(activation, 'vec4f')}
${FOLDED_WORKGROUP}
const IC_QUADS = ${Math.ceil(ic / 4)}u;
const MID_QUADS = ${Math.ceil(mid / 4)}u;
const OUT_QUADS = ${Math.ceil((kh2 * kw2) / 4)}u;
const TAPS = ${kh * kw}u;
const KH = ${kh}u;
const KW = ${kw}u;
const KH2 = ${kh2}u;
const KW2 = ${kw2}u;
const TAPS2 = ${kh2 * kw2}u;

// A vec4 of channels between the convolutions. Padding lanes are zero: an infinite source makes NaN of their zero weights.
fn between(sum: vec4f, quad: u32) -> vec4f {
  let value = activate_hidden(sum);
  return ${mid % 4 === 0 ? 'value' : `select(vec4f(), value, vec4u(0u, 1u, 2u, 3u) + 4u * quad < vec4u(${mid}u))`};
}

// Four taps of the second convolution at one tap of the first.
fn store(sum: vec4f, pixel: u32, tap: u32, quad: u32) {
  let value = activate(sum${spec.bias ? ' + vec4f(bias[0])' : ''});
  let y = (pixel / params.iw * KH + tap / KW) * KH2;
  let x = (pixel % params.iw * KW + tap % KW) * KW2;
  for (var lane = 0u; lane < 4u; lane++) {
    let tap2 = 4u * quad + lane;
    if (tap2 < TAPS2) { dst[(y + tap2 / KW2) * params.iw * KW * KW2 + x + tap2 % KW2] = value[lane]; }
  }
}`;
}
