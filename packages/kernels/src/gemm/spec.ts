/**
 * What a matrix kernel compiles in, derived from the problem once; WGSL text and workgroup counts read the same
 * object. With constant weights gemmK and gemmN are literals of the WGSL; rows and batch are always parameters.
 */
import type { OperandPacking, PassBinding, PlanCost, PlanTable } from '@onegpu/core';
import { type Activation, activationLabel } from '../shared/activation.ts';
import { paddedChannels } from '../shared/layout.ts';
import { packMatrices } from './pack-weights.ts';
import type { GemmAddend, GemmProblem } from './problem.ts';

/**
 * How an operand lies: `row-vec4` as vec4 along its last axis with whole vec4 a row; `row` the same axis order,
 * read by the number; `column` transposed.
 */
export type MatrixArrangement = 'row-vec4' | 'row' | 'column';

export interface GemmSpec {
  readonly src: MatrixArrangement;
  readonly weights: MatrixArrangement;
  /** Stores whole vec4 when every row of `dst` is a whole number of them. */
  readonly dst: 'vec4f' | 'f32';
  /** Compiled inner and column extents; undefined where they are parameters. */
  readonly gemmK: number | undefined;
  readonly gemmN: number | undefined;
  readonly batched: boolean;
  readonly alpha: number;
  readonly beta: number;
  readonly addend: GemmAddend;
  readonly residual: boolean;
  readonly activation: readonly Activation[];
  /** Another place for the results than row m, column n; undefined: the matrix `dst`. */
  readonly scatter?: GemmScatter;
}

/** A store of its own: operators that are a product and then a rearrangement, such as a pixel shuffle. */
export interface GemmScatter {
  /**
   * WGSL of `fn store_dst(sum: vec4f, matrix: u32, m: u32, n4: u32)`, which checks m and n4 against the edges. It may
   * call `fn finish(sum: vec4f, m: u32, n: u32, columns: u32, dst_index: u32) -> vec4f`, n counting vec4 of bias.
   */
  readonly wgsl: string;
  /** Words of `params` behind gemm's own, and their values. */
  readonly params: Readonly<Record<string, number>>;
}

/** Longest chain of terms that goes into one accumulator before it is added to the total. */
export const BLOCK_TERMS = 256;

/** Why algorithms that bind vec4 refuse gemmK of 0: an empty operand is too small a binding for one. */
export const EMPTY_OPERANDS = 'there are no terms to sum';

export function makeGemmSpec(problem: GemmProblem): GemmSpec {
  const { gemmK, gemmN, weightsConstant } = problem;
  const whole = gemmK % 4 === 0 && gemmN % 4 === 0;
  const src = problem.transA ? 'column' : gemmK % 4 === 0 ? 'row-vec4' : 'row';
  const weights =
    weightsConstant || (whole && !problem.transB) ? 'row-vec4' : problem.transB ? 'column' : 'row';
  return {
    src,
    weights,
    dst: gemmN % 4 === 0 ? 'vec4f' : 'f32',
    gemmK: weightsConstant ? gemmK : undefined,
    gemmN: weightsConstant ? gemmN : undefined,
    batched: problem.batch > 1,
    alpha: problem.alpha,
    beta: problem.beta,
    addend: problem.addend,
    residual: problem.residual,
    activation: problem.activation,
  };
}

/** Constant weights in the arrangement `row-vec4`: [k padded to 4, n padded to 4]; empty when they lie so already. */
export function weightsPacking(problem: GemmProblem, spec: GemmSpec): readonly OperandPacking[] {
  const { gemmK, gemmN, transB } = problem;
  const ready = !transB && gemmK % 4 === 0 && gemmN % 4 === 0;
  if (!problem.weightsConstant || ready || spec.weights !== 'row-vec4') return [];
  return [
    {
      operand: 'weights',
      key: `gemm/${transB ? 'nk' : 'kn'}/${problem.weightsCount}x${gemmK}x${gemmN}`,
      elements: problem.weightsCount * paddedChannels(gemmK) * paddedChannels(gemmN),
      pack: (source, memory) =>
        packMatrices(
          source,
          { count: problem.weightsCount, rows: gemmK, columns: gemmN, transposed: transB },
          memory,
        ),
    },
  ];
}

/** Bindings in the order the WGSL declares them: src, weights, dst, then bias, residual and the matrix table. */
export function gemmBindings(spec: GemmSpec): readonly PassBinding[] {
  const bindings: PassBinding[] = [
    { operand: 'src', access: 'read' },
    { operand: 'weights', access: 'read' },
    { operand: 'dst', access: 'read_write' },
  ];
  if (spec.batched) bindings.push({ operand: 'matrices', access: 'read' });
  if (spec.addend !== 'none') bindings.push({ operand: 'bias', access: 'read' });
  if (spec.residual) bindings.push({ operand: 'residual', access: 'read' });
  return bindings;
}

/** Table `matrices`: [batch][2] words, matrix of `src` and matrix of `weights`; only where there is a batch. */
export function gemmTables(problem: GemmProblem): readonly PlanTable[] {
  if (problem.batch <= 1) return [];
  const data = new Uint32Array(problem.batch * 2);
  problem.srcMatrices.forEach((matrix, b) => {
    data[2 * b] = matrix;
    data[2 * b + 1] = problem.weightsMatrices[b] ?? 0;
  });
  return [{ operand: 'matrices', data }];
}

/** Names of gemm's own uniform words; those of a scatter follow. */
export const GEMM_PARAMS = ['gemm_m', 'gemm_n', 'gemm_k', 'batch', 'm_tiles', 'n_tiles'];

/** Extents a matrix kernel is given at run time. */
export type GemmExtents = Pick<GemmProblem, 'gemmM' | 'gemmN' | 'gemmK' | 'batch'>;

/** The uniform words, padded to whole vec4. */
export function gemmParams(
  extents: GemmExtents,
  spec: GemmSpec,
  tiles: { readonly mTiles: number; readonly nTiles: number },
): Uint32Array {
  const { gemmM, gemmN, gemmK, batch } = extents;
  const own = [gemmM, gemmN, gemmK, batch, tiles.mTiles, tiles.nTiles];
  const words = [...own, ...Object.values(spec.scatter?.params ?? {})];
  const padded = new Uint32Array(Math.ceil(words.length / 4) * 4);
  padded.set(words);
  return padded;
}

/** Row name in timings: `gemm/tiled/f32/64x64x16/bias+relu`. */
export function gemmLabel(problem: GemmProblem, algorithm: string, tile: string): string {
  const epilogue = [
    problem.addend === 'none' ? '' : 'bias',
    problem.residual ? 'residual' : '',
    activationLabel(problem.activation),
  ].filter((part) => part !== '');
  return [problem.operator, algorithm, 'f32', tile, epilogue.join('+')]
    .filter((part) => part !== '')
    .join('/');
}

export function gemmCost(problem: GemmProblem): PlanCost {
  const { batch, gemmM, gemmN, gemmK } = problem;
  const sources = Math.min(batch, new Set(problem.srcMatrices).size);
  const stored = batch * gemmM * gemmN * (problem.residual ? 2 : 1);
  return {
    flops: 2 * batch * gemmM * gemmN * gemmK,
    bytes: 4 * (sources * gemmM * gemmK + problem.weightsCount * gemmK * gemmN + stored),
  };
}
