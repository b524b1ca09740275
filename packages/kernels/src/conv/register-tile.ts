/**
 * Plans of the register tile kernel: matrix products from storage without workgroup memory, the workhorse of
 * software adapters. The tile follows from the channels alone, so a new picture size compiles nothing.
 */
import { type DispatchPass, type DispatchPlan, foldWorkgroups, type GpuCapabilities } from '@onegpu/core';
import type { RegisterTile } from '../gemm/tile-lines.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import { spliceEpilogue } from '../shared/epilogue.ts';
import { maskLanesWgsl } from '../shared/prelude.ts';
import { kBlocks } from './k-blocks.ts';
import { streamPacking } from './pack-weights.ts';
import {
  biasPacking,
  CONV_BINDINGS,
  convLabel,
  convParams,
  convPlan,
  needsConstantWeights,
  needsLayout,
  needsVectorGroups,
} from './plan.ts';
import { type ConvProblem, convPixels, isPointwise } from './problem.ts';
import { REGISTER_TILE_INVOCATIONS, type RegisterTileSpec, registerTileWgsl } from './register-tile.wgsl.ts';

export const registerTile: Algorithm<ConvProblem> = {
  name: 'register-tile',
  reject: (_, target) =>
    target.software ? undefined : 'reads storage without workgroup memory, which suits software adapters',
  impossible: (problem) =>
    needsLayout(problem, 'nhwc4') ?? needsConstantWeights(problem) ?? needsVectorGroups(problem),
  plan: planRegisterTile,
};

function planRegisterTile(problem: ConvProblem, target: GpuCapabilities): DispatchPlan {
  const tile = registerTileOf(problem);
  const label = convLabel(problem, 'register-tile', `${tile.rows}x${4 * tile.columns}`);
  const pass = registerTilePass(problem, target, { tile, label, rowBegin: 0, rows: convPixels(problem) });
  const packing = [
    streamPacking(problem, { columns: tile.columns, padInput: true }),
    ...biasPacking(problem),
  ];
  return convPlan(problem, { algorithm: 'register-tile', label, passes: [pass], packing });
}

/** Pixels and vec4 of output channels an invocation makes. */
export function registerTileOf(problem: ConvProblem): RegisterTile {
  const quads = Math.ceil(problem.oc / problem.groups / 4);
  return quads === 1 ? { rows: 8, columns: 1 } : { rows: 8, columns: 2 };
}

export interface RegisterTilePass {
  readonly tile: RegisterTile;
  readonly label: string;
  /** Output pixels the pass makes: `rows` of them from `rowBegin` on. */
  readonly rowBegin: number;
  readonly rows: number;
}

/** The one dispatch, over all pixels or (reading a matrix of their taps) over a range of them. */
export function registerTilePass(
  problem: ConvProblem,
  target: GpuCapabilities,
  { tile, label, rowBegin, rows }: RegisterTilePass,
): DispatchPass {
  const { groups, kh, kw, strideH, strideW, dilationH, dilationW } = problem;
  const srcQuads = Math.ceil(problem.ic / 4);
  const dstQuads = Math.ceil(problem.oc / 4);
  const epilogue = spliceEpilogue(problem.epilogue, 'vec4f', CONV_BINDINGS.length);
  const bindings = [...CONV_BINDINGS, ...epilogue.bindings];
  const spec: RegisterTileSpec = {
    tile,
    walk: { kh, kw, strideH, strideW, dilationH, dilationW, pointwise: isPointwise(problem) },
    blocks: kBlocks(kh * kw, srcQuads / groups, 4),
    ...{ groups, srcQuads, dstQuads },
    paramsBinding: bindings.length,
    epilogue: `${epilogue.wgsl}\n${maskLanesWgsl(problem.oc)}`,
  };
  const rowBlocks = Math.ceil(Math.ceil(rows / tile.rows) / 4) * 4;
  const channelBlocks = groups * Math.ceil(dstQuads / groups / tile.columns);
  const count = Math.ceil((rowBlocks * channelBlocks) / REGISTER_TILE_INVOCATIONS);
  return {
    label,
    wgsl: registerTileWgsl(spec),
    bindings,
    params: convParams(problem, { rows, rowBegin, rowBlocks }),
    workgroups: foldWorkgroups(count, target.limits.maxComputeWorkgroupsPerDimension),
  };
}
