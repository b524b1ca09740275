/**
 * What every convolution plan shares: uniform parameters (everything that a new picture size may change), cost,
 * labels and the reasons that refuse packed or vec4 kernels.
 */
import {
  type DispatchPass,
  type DispatchPlan,
  type OperandArray,
  type OperandPacking,
  type PassBinding,
  type PlanCost,
  type PlanTable,
  sameKind,
} from '@onegpu/core';
import { epilogueLabel } from '../shared/epilogue.ts';
import { paddedChannels } from '../shared/layout.ts';
import { type ConvProblem, convDstElements, convPixels, convTerms } from './problem.ts';

/**
 * Uniform block of every convolution kernel, in the word order of `convParams`. `rows` of the GEMM view from `row_begin`
 * on are what the dispatch covers, a row an output pixel of the whole batch; `row_blocks` are the blocks of rows (or
 * strips of a line) in the grid, whatever the algorithm divides its rows into.
 */
export const CONV_PARAMS_WGSL = `
struct Params {
  batch: u32,
  ih: u32,
  iw: u32,
  oh: u32,
  ow: u32,
  pad_top: u32,
  pad_left: u32,
  rows: u32,
  row_begin: u32,
  row_blocks: u32,
  unused0: u32,
  unused1: u32,
}`;

export interface GridParams {
  readonly rows?: number;
  readonly rowBegin?: number;
  readonly rowBlocks?: number;
}

export function convParams(problem: ConvProblem, grid: GridParams = {}): Uint32Array {
  const { batch, ih, iw, oh, ow, padTop, padLeft } = problem;
  const { rows = convPixels(problem), rowBegin = 0, rowBlocks = 0 } = grid;
  return Uint32Array.of(batch, ih, iw, oh, ow, padTop, padLeft, rows, rowBegin, rowBlocks, 0, 0);
}

export function convCost(problem: ConvProblem): PlanCost {
  const { batch, ic, ih, iw, oc, epilogue, shortcut } = problem;
  const dst = convPixels(problem) * oc;
  const weights = oc * convTerms(problem);
  const upsampled = (epilogue.upsample?.factors ?? []).reduce((product, factor) => product * factor, 1);
  const second = shortcut === undefined ? 0 : batch * shortcut.ic * shortcut.ih * shortcut.iw;
  const elements = batch * ic * ih * iw + second + weights + dst + (epilogue.bias ? oc : 0);
  return {
    flops: 2 * dst * convTerms(problem),
    bytes: 4 * (elements + (epilogue.residual ? dst / upsampled : 0) + (problem.gate ? batch * ic : 0)),
  };
}

/** `conv/implicit-gemm/f32/64x64x16/bias+relu`; empty parts are left out. */
export function convLabel(problem: ConvProblem, algorithm: string, tile: string, operator = 'conv'): string {
  const parts = [
    operator,
    algorithm,
    'f32',
    tile,
    problem.gate ? 'gate' : '',
    problem.shortcut === undefined ? '' : 'shortcut',
    problem.planes ? 'planes' : '',
    epilogueLabel(problem.epilogue),
  ];
  return parts.filter((part) => part !== '').join('/');
}

/** The three operands every kernel binds first; the epilogue's bindings follow. */
export const CONV_BINDINGS: readonly PassBinding[] = [
  { operand: 'src', access: 'read' },
  { operand: 'weights', access: 'read' },
  { operand: 'dst', access: 'read_write' },
];

/** Bias padded to whole vec4 groups, for vec4 kernels. */
export function biasPacking(problem: ConvProblem): readonly OperandPacking[] {
  if (!problem.epilogue.bias || problem.oc % 4 === 0) return [];
  const length = paddedChannels(problem.oc);
  const pack = <T extends OperandArray>(source: T): T => {
    const padded = sameKind(source, length);
    padded.set(source);
    return padded;
  };
  return [{ operand: 'bias', key: 'pad4', pack }];
}

export interface PlanParts {
  /** Default `conv`. */
  readonly operator?: string;
  readonly algorithm: string;
  readonly label: string;
  readonly passes: readonly DispatchPass[];
  readonly packing?: readonly OperandPacking[];
  readonly tables?: readonly PlanTable[];
  /** Bytes of `scratch`, and the fewest that would do. */
  readonly scratch?: { readonly bytes: number; readonly least: number };
}

export function convPlan(problem: ConvProblem, parts: PlanParts): DispatchPlan {
  const { bytes, least } = parts.scratch ?? { bytes: 0, least: 0 };
  return {
    operator: parts.operator ?? 'conv',
    algorithm: parts.algorithm,
    label: parts.label,
    passes: convDstElements(problem) === 0 ? [] : parts.passes,
    scratch: bytes === 0 ? [] : [{ operand: 'scratch', bytes, least }],
    tables: parts.tables ?? [],
    packing: parts.packing ?? [],
    cost: convCost(problem),
  };
}

/** Reason against kernels that read packed weights. */
export function needsConstantWeights(problem: ConvProblem): string | undefined {
  return problem.weightsConstant ? undefined : 'packs the weights on the host, and they are not constant';
}

/** Reason against kernels that write whole vec4 of one group's output channels. */
export function needsVectorGroups(problem: ConvProblem): string | undefined {
  const { groups, oc } = problem;
  if (groups === 1 || (oc / groups) % 4 === 0) return undefined;
  return `output channels of a group are no multiple of 4 (${oc / groups})`;
}

/** Reason against kernels of one layout. */
export function needsLayout(problem: ConvProblem, layout: ConvProblem['layout']): string | undefined {
  return problem.layout === layout ? undefined : `written for ${layout}, the tensors are ${problem.layout}`;
}
