/**
 * Plans of the implicit GEMM: one dispatch for many output tiles, or split-k (several workgroups share a tile, a
 * second dispatch adds their partial sums in order and applies the epilogue). Tiles follow from the channels and the
 * device alone; the number of pixels only chooses among the algorithms.
 */
import { type DispatchPass, type DispatchPlan, foldWorkgroups, type GpuCapabilities } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { spliceEpilogue } from '../shared/epilogue.ts';
import { maskLanesWgsl } from '../shared/prelude.ts';
import { chunkRanges, scratchChunks } from '../shared/scratch-chunks.ts';
import { ADD_SPLITS_INVOCATIONS, addSplitsWgsl } from './add-splits.wgsl.ts';
import { spliceGate } from './gate.ts';
import type { RowRange } from './im2col.ts';
import { type GemmTile, gemmTileBytes, implicitGemmWgsl, sliceInvocations } from './implicit-gemm.wgsl.ts';
import { tiledPacking } from './pack-weights.ts';
import {
  biasPacking,
  CONV_BINDINGS,
  convLabel,
  convParams,
  convPlan,
  needsConstantWeights,
  needsLayout,
} from './plan.ts';
import { type ConvProblem, convPixels, convTerms } from './problem.ts';
import { spliceStore } from './store.ts';

/** Chooses a tile from channels and limits; undefined where none fits the device. */
export type TileRule = (problem: ConvProblem, target: GpuCapabilities) => GemmTile | undefined;

/** Tiles of 64 rows: for grids of many tiles. */
export const largeTile: TileRule = (problem, target) => {
  const wide = problem.oc > 32;
  const tile = { tileM: 64, tileN: wide ? 64 : 32, tileK: 16, cell: { rows: 8, columns: wide ? 2 : 1 } };
  return mostSlices(tile, [2, 1], target);
};

/** Tiles of 32 x 32 with k sliced inside the workgroup: for grids of few tiles. */
export const slicedTile: TileRule = (_, target) =>
  mostSlices({ tileM: 32, tileN: 32, tileK: 16, cell: { rows: 8, columns: 1 } }, [8, 4, 2, 1], target);

function mostSlices(
  tile: Omit<GemmTile, 'slices'>,
  choices: readonly number[],
  { limits }: GpuCapabilities,
): GemmTile | undefined {
  return choices
    .map((slices) => ({ ...tile, slices }))
    .find(
      (choice) =>
        gemmTileBytes(choice) <= limits.maxComputeWorkgroupStorageSize &&
        sliceInvocations(choice) * choice.slices <= limits.maxComputeInvocationsPerWorkgroup,
    );
}

/** Output tiles that keep a large GPU busy; below, k is sliced and then split. */
const MANY_TILES = 132;
/** Fewest terms worth a second dispatch. */
const LONG_SUM = 1024;
const SPLIT_TERMS = 512;

export const implicitGemm: Algorithm<ConvProblem> = implicitGemmOf('implicit-gemm', largeTile, (problem) => {
  const tiles = Math.ceil(convPixels(problem) / 64) * Math.ceil(problem.oc / 64);
  return tiles >= MANY_TILES ? undefined : `only ${tiles} tiles of 64x64, fewer than ${MANY_TILES}`;
});

export const slicedGemm: Algorithm<ConvProblem> = implicitGemmOf('sliced-gemm', slicedTile, () => undefined);

export const splitK: Algorithm<ConvProblem> = splitKOf('split-k', slicedTile);

/** An implicit GEMM with a tile rule of one's own; tests use it for small twins of the large tiles. */
export function implicitGemmOf(
  name: string,
  rule: TileRule,
  tooFew: (problem: ConvProblem) => string | undefined,
): Algorithm<ConvProblem> {
  return {
    name,
    reject: (problem, target) => hardwareOnly(target) ?? tooFew(problem),
    impossible: (problem, target) => impossible(problem, rule(problem, target)),
    plan: (problem, target) => {
      const tile = tileOf(rule, problem, target);
      const label = convLabel(problem, name, tileLabel(tile));
      const pass = gemmPass(problem, target, { tile, label, splits: 1 });
      return gemmPlan(problem, { name, label, tile, passes: [pass] });
    },
  };
}

export function splitKOf(name: string, rule: TileRule): Algorithm<ConvProblem> {
  return {
    name,
    reject: (problem, target) => hardwareOnly(target) ?? enoughTiles(problem) ?? shortSum(problem),
    impossible: (problem, target) =>
      impossible(problem, rule(problem, target)) ?? scratchTooLarge(problem, target),
    plan: (problem, target, options) => {
      const tile = tileOf(rule, problem, target);
      const splits = splitsOf(problem);
      const label = convLabel(problem, name, `${tileLabel(tile)}x${splits}`);
      const pixels = convPixels(problem);
      const { size, bytes } = scratchChunks({
        ...{ label, units: pixels, unitBytes: splitRowBytes(problem), given: options.scratchBytes },
        most: target.limits.maxStorageBufferBindingSize,
      });
      const passes = chunkRanges(pixels, size).flatMap(({ begin, count }) => {
        const range = count === pixels ? undefined : { rowBegin: begin, rows: count };
        return [
          gemmPass(problem, target, { tile, label, splits, range }),
          addSplitsPass(problem, target, { splits, label: `${label}/add`, range }),
        ];
      });
      return gemmPlan(problem, {
        name,
        label,
        tile,
        passes,
        scratch: { bytes, least: splitRowBytes(problem) },
      });
    },
  };
}

/** From the length of the sums alone. */
function splitsOf(problem: ConvProblem): number {
  return Math.max(2, Math.min(16, Math.floor(convTerms(problem) / SPLIT_TERMS)));
}

/** Partial sums of one output pixel. */
function splitRowBytes(problem: ConvProblem): number {
  return splitsOf(problem) * Math.ceil(problem.oc / 4) * 16;
}

function splitBytes(problem: ConvProblem): number {
  return convPixels(problem) * splitRowBytes(problem);
}

function scratchTooLarge(problem: ConvProblem, { limits }: GpuCapabilities): string | undefined {
  const most = limits.maxStorageBufferBindingSize;
  if (splitBytes(problem) <= most) return undefined;
  return `partial sums take ${splitBytes(problem)} bytes, maxStorageBufferBindingSize is ${most}`;
}

function hardwareOnly(target: GpuCapabilities): string | undefined {
  return target.software ? 'barriers and workgroup memory are costly on a software adapter' : undefined;
}

function enoughTiles(problem: ConvProblem): string | undefined {
  const tiles = Math.ceil(convPixels(problem) / 32) * Math.ceil(problem.oc / 32);
  return 2 * tiles < MANY_TILES ? undefined : `${tiles} tiles of 32x32 fill the device without splitting k`;
}

function shortSum(problem: ConvProblem): string | undefined {
  const terms = convTerms(problem);
  return terms >= LONG_SUM ? undefined : `sums of ${terms} terms are too short to split`;
}

function impossible(problem: ConvProblem, tile: GemmTile | undefined): string | undefined {
  if (problem.groups !== 1) return `${problem.groups} groups, written for one`;
  if (tile === undefined) return 'no tile fits the workgroup memory or invocations of this device';
  return needsLayout(problem, 'nhwc4') ?? needsConstantWeights(problem);
}

function tileOf(rule: TileRule, problem: ConvProblem, target: GpuCapabilities): GemmTile {
  const tile = rule(problem, target);
  if (tile === undefined) throw new RangeError('planned an algorithm that is impossible here');
  return tile;
}

function tileLabel({ tileM, tileN, tileK, slices }: GemmTile): string {
  return `${tileM}x${tileN}x${tileK}${slices > 1 ? `/${slices}` : ''}`;
}

interface GemmPlanParts {
  readonly name: string;
  readonly label: string;
  readonly tile: GemmTile;
  readonly passes: readonly DispatchPass[];
  readonly scratch?: { readonly bytes: number; readonly least: number };
}

function gemmPlan(problem: ConvProblem, parts: GemmPlanParts): DispatchPlan {
  const { name, label, tile, passes, scratch } = parts;
  const packing = [tiledPacking(problem, tile.tileK, tile.tileN), ...biasPacking(problem)];
  const { tables } = spliceEpilogue(problem.epilogue, 'vec4f', 2);
  return convPlan(problem, {
    ...{ algorithm: name, label, passes, packing, tables },
    ...(scratch === undefined ? {} : { scratch }),
  });
}

interface GemmPassParts {
  readonly tile: GemmTile;
  readonly label: string;
  readonly splits: number;
  /** Output pixels the pass makes; all of them by default. */
  readonly range?: RowRange | undefined;
}

function gemmPass(
  problem: ConvProblem,
  target: GpuCapabilities,
  { tile, label, splits, range }: GemmPassParts,
): DispatchPass {
  const { kh, kw, strideH, strideW, dilationH, dilationW } = problem;
  const dstQuads = Math.ceil(problem.oc / 4);
  const store = spliceStore(problem, 2);
  const whole = splits === 1;
  const partialBindings = CONV_BINDINGS.map((binding) =>
    binding.operand === 'dst' ? { operand: 'scratch', access: binding.access } : binding,
  );
  const own = whole ? [...CONV_BINDINGS, ...store.bindings] : partialBindings;
  const gate = spliceGate(problem, own.length);
  const bindings = [...own, ...gate.bindings];
  const rowBlocks = Math.ceil((range?.rows ?? convPixels(problem)) / tile.tileM);
  const count = rowBlocks * Math.ceil((dstQuads * 4) / tile.tileN) * splits;
  return {
    label,
    wgsl: implicitGemmWgsl({
      ...{ tile, kh, kw, strideH, strideW, dilationH, dilationW, dstQuads, splits },
      srcQuads: Math.ceil(problem.ic / 4),
      rows: range === undefined ? 'all' : 'range',
      paramsBinding: bindings.length,
      gated: problem.gate,
      store: gate.wgsl + (whole ? store.wgsl : STORE_PARTIAL),
    }),
    bindings,
    params: convParams(problem, { rowBlocks, ...range }),
    workgroups: foldWorkgroups(count, target.limits.maxComputeWorkgroupsPerDimension),
  };
}

/** Partial sums [SPLITS, rows, DST_QUADS]. */
const STORE_PARTIAL = `@group(0) @binding(2) var<storage, read_write> partial_sums: array<vec4f>;
fn store(value: vec4f, m: u32, quad: u32) {
  partial_sums[m * DST_QUADS + quad] = value;
}`;

function addSplitsPass(
  problem: ConvProblem,
  target: GpuCapabilities,
  { splits, label, range }: Omit<GemmPassParts, 'tile'>,
): DispatchPass {
  const epilogue = spliceEpilogue(problem.epilogue, 'vec4f', 2);
  const dstQuads = Math.ceil(problem.oc / 4);
  const bindings = [
    { operand: 'scratch', access: 'read' },
    { operand: 'dst', access: 'read_write' },
    ...epilogue.bindings,
  ] as const;
  const count = Math.ceil(((range?.rows ?? convPixels(problem)) * dstQuads) / ADD_SPLITS_INVOCATIONS);
  return {
    label,
    wgsl: addSplitsWgsl({
      ...{ splits, dstQuads, rows: range === undefined ? 'all' : 'range' },
      paramsBinding: bindings.length,
      epilogue: `${epilogue.wgsl}\n${maskLanesWgsl(problem.oc)}`,
    }),
    bindings,
    params: convParams(problem, range),
    workgroups: foldWorkgroups(count, target.limits.maxComputeWorkgroupsPerDimension),
  };
}
