/**
 * Plans of the register tile kernel: matrix products from storage without workgroup memory, the workhorse of
 * software adapters. The tile follows from the channels alone, so a new picture size compiles nothing.
 */
import {
  type DispatchPass,
  type DispatchPlan,
  foldWorkgroups,
  type GpuCapabilities,
  type OperandPacking,
  type PlanTable,
} from '@onegpu/core';
import type { RegisterTile } from '../gemm/tile-lines.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import { paddedChannels } from '../shared/layout.ts';
import { paramsBlock } from '../shared/params-block.ts';
import { needsNoGate, spliceGate } from './gate.ts';
import { kBlocks } from './k-blocks.ts';
import { streamPacking } from './pack-weights.ts';
import { readsQuads, type WalkSource, walkParams } from './pixel-walk.ts';
import {
  biasPacking,
  CONV_BINDINGS,
  convLabel,
  convPlan,
  needsConstantWeights,
  needsVectorGroups,
} from './plan.ts';
import { type ConvProblem, convPixels, needsWholeResidual } from './problem.ts';
import { REGISTER_TILE_INVOCATIONS, registerTileWgsl } from './register-tile.wgsl.ts';
import { spliceStore } from './store.ts';
import { weightsLoad } from './weights-stream.wgsl.ts';

export const registerTile: Algorithm<ConvProblem> = {
  name: 'register-tile',
  reject: (problem, target) => (tilesServe(problem) ? softwareOnly(target) : undefined),
  impossible,
  plan: (problem, target) => planRegisterTile('register-tile', problem, target, registerTileOf(problem)),
};

/** One pixel an invocation: for the few pixels that global pooling leaves. */
export const singlePixel: Algorithm<ConvProblem> = {
  name: 'single-pixel',
  reject: (problem, target) =>
    softwareOnly(target) ??
    (convPixels(problem) <= FEW_PIXELS
      ? undefined
      : `${convPixels(problem)} output pixels fill register tiles`),
  impossible,
  plan: (problem, target) => planRegisterTile('single-pixel', problem, target, { rows: 1, columns: 1 }),
};

const FEW_PIXELS = 8;

/** Whether the implicit GEMMs, which hardware prefers, take the problem. */
function tilesServe({ layout, groups }: ConvProblem): boolean {
  return layout === 'nhwc4' && groups === 1;
}

function softwareOnly(target: GpuCapabilities): string | undefined {
  return target.software
    ? undefined
    : 'reads storage without workgroup memory, which suits software adapters';
}

function impossible(problem: ConvProblem): string | undefined {
  return (
    needsConstantWeights(problem) ??
    needsVectorGroups(problem) ??
    needsWholeResidual(problem) ??
    gateOfQuads(problem)
  );
}

/** A gate is read in vec4 beside src. */
function gateOfQuads(problem: ConvProblem): string | undefined {
  return problem.layout === 'nhwc4' && problem.groups === 1 ? undefined : needsNoGate(problem);
}

function planRegisterTile(
  algorithm: string,
  problem: ConvProblem,
  target: GpuCapabilities,
  tile: RegisterTile,
): DispatchPlan {
  const label = convLabel(problem, algorithm, `${tile.rows}x${4 * tile.columns}`);
  const rows = { rowBegin: 0, rows: convPixels(problem) };
  const pass = registerTilePass(problem, target, { tile, label, source: { kind: 'image' }, ...rows });
  const packing = [streamPacking(problem, tile.columns), ...registerTileBias(problem)];
  return convPlan(problem, {
    algorithm,
    label,
    passes: [pass],
    packing,
    tables: registerTileTables(problem),
  });
}

/**
 * Pixels and vec4 of output channels an invocation makes; from the channels alone. Few tiles, since each is a
 * pipeline, and as large as they compile in a second: per four channels a tile of r x c loads 4 (r + c) vectors for
 * 16 r c multiply-adds, and a load costs some seventeen of those.
 */
export function registerTileOf(problem: ConvProblem): RegisterTile {
  const quads = Math.ceil(problem.oc / problem.groups / 4);
  if (quads <= 2) return { rows: 8, columns: Math.max(quads, 1) };
  if (quads === 3 || quads === 6) return { rows: 4, columns: quads };
  return { rows: 4, columns: 4 };
}

/** Bias in vec4 where the store takes vec4. */
export function registerTileBias(problem: ConvProblem): readonly OperandPacking[] {
  return problem.layout === 'nhwc4' ? biasPacking(problem) : [];
}

/** The epilogue's tables; a layer without bias adds a table of zeros, so that it needs no pipeline of its own. */
export function registerTileTables(problem: ConvProblem): readonly PlanTable[] {
  const { tables } = spliceStore(biased(problem), 2, 'parameters');
  if (problem.epilogue.bias) return tables;
  return [...tables, { operand: 'bias', data: new Float32Array(paddedChannels(problem.oc)) }];
}

function biased(problem: ConvProblem): ConvProblem {
  return { ...problem, epilogue: { ...problem.epilogue, bias: true } };
}

export interface RegisterTilePass {
  readonly tile: RegisterTile;
  readonly label: string;
  /** A matrix is the operand `scratch`, its row 0 being output pixel `rowBegin`. */
  readonly source: WalkSource;
  /** Output pixels the pass makes: `rows` of them from `rowBegin` on. */
  readonly rowBegin: number;
  readonly rows: number;
}

/** The one dispatch, over all pixels or (reading a matrix of their taps) over a range of them. */
export function registerTilePass(
  problem: ConvProblem,
  target: GpuCapabilities,
  { tile, label, rowBegin, rows, source }: RegisterTilePass,
): DispatchPass {
  const store = spliceStore(biased(problem), 2, 'parameters');
  const gate = spliceGate(problem, CONV_BINDINGS.length + store.bindings.length);
  const bindings = [...CONV_BINDINGS, ...store.bindings, ...gate.bindings].map((binding) =>
    source.kind === 'matrix' && binding.operand === 'src' ? { ...binding, operand: 'scratch' } : binding,
  );
  // Whole subgroups of four, so that neighbours have the same channels.
  const rowBlocks = Math.ceil(Math.ceil(rows / tile.rows) / 4) * 4;
  const params = {
    ...{ rows, row_begin: rowBegin, row_blocks: rowBlocks },
    ...walkParams(problem, source),
    ...channelParams(problem, source, tile),
  };
  const alone = tile.rows === 1;
  const wgsl = registerTileWgsl({
    ...{ tile, params, paramsBinding: bindings.length, store: store.wgsl + gate.wgsl, gated: problem.gate },
    sourceQuads: readsQuads(problem, source),
    weightsLoad: alone ? 'own' : weightsLoad(target),
    neighbours: alone ? 'blocks' : 'rows',
  });
  const count = Math.ceil((rowBlocks * params.blocks) / REGISTER_TILE_INVOCATIONS);
  return {
    ...{ label, wgsl, bindings, params: paramsBlock(params) },
    workgroups: foldWorkgroups(count, target.limits.maxComputeWorkgroupsPerDimension),
  };
}

/** Words of the channels: of the stream of weights, of the groups and of the store. */
function channelParams(problem: ConvProblem, source: WalkSource, tile: RegisterTile) {
  const { groups, oc, oh, ow, kh, kw } = problem;
  const matrix = source.kind === 'matrix';
  const taps = matrix ? 1 : kh * kw;
  const channels = matrix ? source.columns : problem.ic / groups;
  const srcQuads = Math.ceil(channels / 4);
  const dstQuads = Math.ceil(oc / 4);
  const groupBlocks = Math.ceil(dstQuads / groups / tile.columns);
  const { steps, tapsPerStep, slices, sliceQuads } = kBlocks(taps, srcQuads);
  return {
    ...{ oc, dst_quads: dstQuads, plane: oh * ow },
    ...{ taps, steps, taps_per_step: tapsPerStep, slices, slice_quads: sliceQuads },
    ...{ group_channels: channels, group_src_quads: srcQuads, group_dst_quads: dstQuads / groups },
    group_first: readsQuads(problem, source) ? srcQuads : channels,
    ...{ group_blocks: groupBlocks, blocks: groups * groupBlocks },
  };
}
