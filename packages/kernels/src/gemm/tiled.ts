/** `tiled` and `gemv-sliced`: through workgroup memory, for hardware adapters. */
import type { GpuCapabilities } from '@onegpu/core';
import type { Algorithm } from '../shared/algorithm.ts';
import { gemvSlicedWgsl, type SliceTile } from './gemv-sliced.wgsl.ts';
import { gemmPlan } from './plan.ts';
import type { GemmProblem } from './problem.ts';
import { EMPTY_OPERANDS, makeGemmSpec } from './spec.ts';
import { tiledWgsl, type WorkgroupTile, workgroupBytes, workgroupShape } from './tiled.wgsl.ts';

const TILE: WorkgroupTile = { blockM: 64, blockN: 64, blockK: 16, registers: { rows: 8, columns: 1 } };
/** The same text on a small scale: a software adapter compiles the large tile for seconds. */
const SMALL_TILE: WorkgroupTile = { blockM: 16, blockN: 16, blockK: 8, registers: { rows: 4, columns: 1 } };
const SLICES: SliceTile = { quads: 8, slices: 32 };
/** Rows up to which a workgroup a row beats a tile that is mostly empty. */
const SLICED_ROWS = 16;

const SLOW_BARRIERS = 'workgroup memory is slow on a software adapter';

function tileFor(target: GpuCapabilities): WorkgroupTile {
  return target.software ? SMALL_TILE : TILE;
}

function lacking(
  problem: GemmProblem,
  target: GpuCapabilities,
  invocations: number,
  bytes: number,
): string | undefined {
  if (problem.gemmK === 0) return EMPTY_OPERANDS;
  const { limits } = target;
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
  impossible(problem, target) {
    const tile = tileFor(target);
    const shape = workgroupShape(tile);
    return lacking(problem, target, shape.m * shape.n, workgroupBytes(tile));
  },
  reject(_problem, target) {
    return target.software ? SLOW_BARRIERS : undefined;
  },
  plan(problem, target) {
    const spec = makeGemmSpec(problem);
    const tile = tileFor(target);
    return gemmPlan(problem, spec, target, {
      algorithm: 'tiled',
      tile: `${tile.blockM}x${tile.blockN}x${tile.blockK}`,
      wgsl: tiledWgsl(spec, tile),
      mTiles: Math.ceil(problem.gemmM / tile.blockM),
      nTiles: Math.ceil(problem.gemmN / tile.blockN),
      tilesAWorkgroup: 1,
    });
  },
};

export const gemvSliced: Algorithm<GemmProblem> = {
  name: 'gemv-sliced',
  impossible(problem, target) {
    const invocations = SLICES.quads * SLICES.slices;
    return lacking(problem, target, invocations, 16 * invocations);
  },
  reject(problem, target) {
    if (target.software) return SLOW_BARRIERS;
    return problem.gemmM <= SLICED_ROWS ? undefined : `${problem.gemmM} rows would each read all the weights`;
  },
  plan(problem, target) {
    const spec = makeGemmSpec(problem);
    return gemmPlan(problem, spec, target, {
      algorithm: 'gemv-sliced',
      tile: `${4 * SLICES.quads}x${SLICES.slices}`,
      wgsl: gemvSlicedWgsl(spec, SLICES),
      mTiles: problem.gemmM,
      nTiles: Math.ceil(problem.gemmN / 4 / SLICES.quads),
      tilesAWorkgroup: 1,
    });
  },
};
