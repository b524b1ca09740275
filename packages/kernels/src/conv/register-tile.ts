/**
 * Plans of the register tile kernel: matrix products from storage without workgroup memory, the workhorse of
 * software adapters. The tile follows from the channels alone, so a new picture size compiles nothing.
 */
import { type DispatchPass, type DispatchPlan, foldWorkgroups, type GpuCapabilities } from '@onegpu/core';
import type { RegisterTile } from '../gemm/tile-lines.ts';
import type { Algorithm } from '../shared/algorithm.ts';
import { paddedChannels } from '../shared/layout.ts';
import { kBlocks } from './k-blocks.ts';
import { streamPacking } from './pack-weights.ts';
import type { PixelWalk } from './pixel-walk.ts';
import {
  biasPacking,
  CONV_BINDINGS,
  convLabel,
  convParams,
  convPlan,
  needsConstantWeights,
  needsVectorGroups,
} from './plan.ts';
import { type ConvProblem, convPixels, isPointwise } from './problem.ts';
import { REGISTER_TILE_INVOCATIONS, type RegisterTileSpec, registerTileWgsl } from './register-tile.wgsl.ts';
import { spliceStore } from './store.ts';

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
  return needsConstantWeights(problem) ?? needsVectorGroups(problem);
}

function planRegisterTile(
  algorithm: string,
  problem: ConvProblem,
  target: GpuCapabilities,
  tile: RegisterTile,
): DispatchPlan {
  const label = convLabel(problem, algorithm, `${tile.rows}x${4 * tile.columns}`);
  const pass = registerTilePass(problem, target, { tile, label, rowBegin: 0, rows: convPixels(problem) });
  const bias = problem.layout === 'nhwc4' ? biasPacking(problem) : [];
  const packing = [streamPacking(problem, tile.columns), ...bias];
  return convPlan(problem, { algorithm, label, passes: [pass], packing });
}

/** Pixels and vec4 of output channels an invocation makes; from the channels alone. */
export function registerTileOf(problem: ConvProblem): RegisterTile {
  const quads = Math.ceil(problem.oc / problem.groups / 4);
  return { rows: 8, columns: quads === 1 || quads === 3 ? quads : 2 };
}

function sourceOf({ layout, ic }: ConvProblem, matrix: boolean): PixelWalk['source'] {
  if (matrix) return { layout: 'nhwc4', pixelStride: ic };
  return layout === 'nchw' ? { layout, channels: ic } : { layout, pixelStride: paddedChannels(ic) };
}

export interface RegisterTilePass {
  readonly tile: RegisterTile;
  readonly label: string;
  /** Source pixels as rows of a matrix `scratch` [rows, channels], row 0 being pixel `rowBegin`. */
  readonly matrix?: boolean;
  /** Output pixels the pass makes: `rows` of them from `rowBegin` on. */
  readonly rowBegin: number;
  readonly rows: number;
}

/** The one dispatch, over all pixels or (reading a matrix of their taps) over a range of them. */
export function registerTilePass(
  problem: ConvProblem,
  target: GpuCapabilities,
  { tile, label, rowBegin, rows, matrix }: RegisterTilePass,
): DispatchPass {
  const { groups, ic, kh, kw, strideH, strideW, dilationH, dilationW } = problem;
  const dstQuads = Math.ceil(problem.oc / 4);
  const store = spliceStore(problem, 2);
  const bindings = [...CONV_BINDINGS, ...store.bindings].map((binding) =>
    matrix === true && binding.operand === 'src' ? { ...binding, operand: 'scratch' } : binding,
  );
  const spec: RegisterTileSpec = {
    tile,
    walk: {
      ...{ kh, kw, strideH, strideW, dilationH, dilationW },
      pointwise: isPointwise(problem),
      source: sourceOf(problem, matrix === true),
    },
    blocks: kBlocks(kh * kw, ic / groups),
    neighbours: tile.rows === 1 ? 'blocks' : 'rows',
    ...{ groups, ic, dstQuads },
    paramsBinding: bindings.length,
    store: store.wgsl,
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
