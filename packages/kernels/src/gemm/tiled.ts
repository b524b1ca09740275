/** `tiled` and `gemv-sliced`: through workgroup memory, for hardware adapters. */
import type { GpuCapabilities } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { gemvSlicedWgsl, type SliceTile, slicedBytes, slicedInvocations } from './gemv-sliced.wgsl.ts';
import { type GemmKernel, gemmPlan } from './plan.ts';
import type { GemmProblem } from './problem.ts';
import { EMPTY_OPERANDS, type GemmSpec, makeGemmSpec } from './spec.ts';
import { tiledWgsl, type WorkgroupTile, workgroupBytes, workgroupShape } from './tiled.wgsl.ts';

const TILE: WorkgroupTile = { blockM: 64, blockN: 64, blockK: 16, registers: { rows: 8, columns: 1 } };
/** The same text on a small scale: a software adapter compiles the large tile for seconds. */
const SMALL_TILE: WorkgroupTile = { blockM: 16, blockN: 16, blockK: 8, registers: { rows: 4, columns: 1 } };
/** One row waits for memory, so that many loads are under way; more rows share them. */
const ONE_ROW: SliceTile = { quads: 4, slices: 64, rows: 1, ahead: 4 };
const FOUR_ROWS: SliceTile = { quads: 4, slices: 64, rows: 4, ahead: 2 };
/** Rows up to which a workgroup a row beats a tile that is mostly empty. */
const SLICED_ROWS = 16;

export const SLOW_BARRIERS = 'workgroup memory is slow on a software adapter';

function tileFor(target: GpuCapabilities): WorkgroupTile {
  return target.software ? SMALL_TILE : TILE;
}

function slicesFor({ gemmM }: GemmProblem): SliceTile {
  return gemmM === 1 ? ONE_ROW : FOUR_ROWS;
}

/** The workgroup-memory kernel for a spec, in the tile that suits the adapter. */
export function tiledKernel(spec: GemmSpec, target: GpuCapabilities): GemmKernel {
  const tile = tileFor(target);
  return {
    tile: `${tile.blockM}x${tile.blockN}x${tile.blockK}`,
    wgsl: tiledWgsl(spec, tile),
    tileM: tile.blockM,
    tileN: tile.blockN,
    tilesAWorkgroup: 1,
  };
}

/** Why the adapter cannot run `tiledKernel`; undefined when it can. */
export function tiledRefusal(target: GpuCapabilities): string | undefined {
  const tile = tileFor(target);
  const shape = workgroupShape(tile);
  return lacking(target, shape.m * shape.n, workgroupBytes(tile));
}

function lacking({ limits }: GpuCapabilities, invocations: number, bytes: number): string | undefined {
  const invocationLimit = Math.min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX);
  if (invocations > invocationLimit) {
    return `needs ${invocations} invocations a workgroup, the adapter allows ${invocationLimit}`;
  }
  if (bytes > limits.maxComputeWorkgroupStorageSize) {
    return `needs ${bytes} bytes of workgroup memory, maxComputeWorkgroupStorageSize is ${limits.maxComputeWorkgroupStorageSize}`;
  }
  return undefined;
}

export const tiled: Algorithm<GemmProblem> = {
  name: 'tiled',
  impossible: (problem, target) => (problem.gemmK === 0 ? EMPTY_OPERANDS : tiledRefusal(target)),
  reject: (_problem, target) => (target.software ? SLOW_BARRIERS : undefined),
  plan(problem, target) {
    const spec = makeGemmSpec(problem);
    return gemmPlan('tiled', problem, target, { spec, kernel: tiledKernel(spec, target) });
  },
};

export const gemvSliced: Algorithm<GemmProblem> = {
  name: 'gemv-sliced',
  impossible(problem, target) {
    const tile = slicesFor(problem);
    if (problem.gemmK === 0) return EMPTY_OPERANDS;
    return lacking(target, slicedInvocations(tile), slicedBytes(tile));
  },
  reject(problem, target) {
    if (target.software) return SLOW_BARRIERS;
    return problem.gemmM <= SLICED_ROWS ? undefined : `${problem.gemmM} rows would each read all the weights`;
  },
  plan(problem, target) {
    const spec = makeGemmSpec(problem);
    const tile = slicesFor(problem);
    const { quads, slices, rows } = tile;
    const kernel: GemmKernel = {
      tile: `${rows}x${4 * quads}x${slices}`,
      wgsl: gemvSlicedWgsl(spec, tile),
      tileM: rows,
      tileN: 4 * quads,
      tilesAWorkgroup: 1,
    };
    return gemmPlan('gemv-sliced', problem, target, { spec, kernel });
  },
};
